"""What a reader found in a document, before it is put in order."""

from msgspec import Struct


class Draft(Struct, frozen=True):
    """`title` is what the document calls itself, `headline` what stands at its top like a title; either may be ""."""

    paragraphs: list[str]
    pages: int = 0
    title: str = ""
    headline: str = ""
    language: str = ""
    cut: tuple[str, ...] = ()
