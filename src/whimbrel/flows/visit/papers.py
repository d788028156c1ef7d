"""Documents that are no web pages, as judges of words see them. Who reads them is not known here."""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from whimbrel.records.url import Url


class PaperSaid(Struct, frozen=True):
    """What a document says that is no web page."""

    title: str
    text: str
    language: str


ReadsPapers: TypeAlias = Callable[[bytes, str, Url], PaperSaid | str]
"""Reads a document by its bytes, its media type and its URL; or says why it cannot be read."""
