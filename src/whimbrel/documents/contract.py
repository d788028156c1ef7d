"""What reading a document gives, and what it may cost."""

from typing import Literal, TypeAlias

from msgspec import Struct

PARAGRAPH_BREAK = "\n\n"
PICTURE = "picture"
"""The kind of what is drawn, not read."""
LARGE = "large"
"""In place of a media type: drawn so large that letters can be read."""

UnreadableKind: TypeAlias = Literal[
    "encrypted", "damaged", "mislabelled", "empty", "unsupported", "too_large", "too_slow", "out_of_memory",
    "crashed", "unavailable",
]  # fmt: skip
"""`mislabelled`: the bytes are nothing like what they were called. `unavailable`: no helper could be started, which
says nothing about the document."""


class DocumentText(Struct, frozen=True, array_like=True, tag="text"):
    """What a document says. Paragraphs of `text` are parted by an empty line.

    `pages` counts pages, slides, sheets or entries; 0 where the format does not say. `language` is an ISO 639 code or
    "". `kind` is one of `whimbrel.documents.kinds`. `cut` lists what was left out, for a person to read.
    """

    title: str
    text: str
    pages: int
    language: str
    kind: str
    cut: tuple[str, ...] = ()


class Unreadable(Struct, frozen=True, array_like=True, tag="unreadable"):
    """Why a document gave no text. `kind` is for programs and `reason` for people."""

    kind: UnreadableKind
    reason: str

    @property
    def passing(self) -> bool:
        """Whether the same bytes may well be read another time."""
        return self.kind == "unavailable"


Outcome: TypeAlias = DocumentText | Unreadable


class DocumentLimits(Struct, frozen=True, array_like=True):
    """What one document may cost. `address_space_bytes` and `cpu_seconds` are the kernel's to enforce.

    What exceeds `pages`, `characters` or half of `cpu_seconds` on the way is cut off, and what was read counts.
    """

    body_bytes: int = 64 << 20
    address_space_bytes: int = 1 << 30
    cpu_seconds: int = 20
    wall_seconds: float = 60.0
    pages: int = 5_000
    characters: int = 8_000_000
    members: int = 10_000
    """Files in a zip archive, which is what most office documents are."""
    unpacked_bytes: int = 256 << 20
    unpacked_ratio: int = 200
    """Looked at from `SMALL_ARCHIVE_BYTES` of `documents.archive` on: blank sheets pack very well."""


DEFAULT_LIMITS = DocumentLimits()
