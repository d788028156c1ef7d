"""What of a page is given to the encoder: its beginning, and the beginning of each of its sections, with the title.

A vector tells of a few sentences. A page of a manual has many subjects, and says of each what it is about under its
heading; so a question is held against its sections, as a reader looks for the right one.
"""

from collections.abc import Iterable

from msgspec import Struct

MOST_SECTIONS = 16
"""Of a page: more are its tables and lists, and each takes 10 to 20 ms of a core."""
FEWEST_CHARACTERS = 40
"""Of a section: what says less is a list of contents."""
SEVERAL = 2
"""A page with one section is told by its beginning."""
LONGEST = 2_000
"""Characters of a passage: more than the encoder reads of it."""
_SIGNS = " ¶#§🔗"
"""What links to a heading from its end."""


class Passage(Struct, frozen=True):
    """`opens` says whether a page begins with it, of which more is read."""

    text: str
    opens: bool


def passages(title: str, headings: Iterable[str], lines: Iterable[str]) -> list[Passage]:
    """Of a page's main text by lines; a heading is a line of its own. The first is the page's beginning."""
    sections = _sections({called for heading in headings if (called := heading.rstrip(_SIGNS))}, lines)
    whole = " ".join(part for section in sections for part in section if part)[:LONGEST]
    opening = [Passage(f"{title}\n{whole}", True)] if title or whole else []
    told = [(heading, text) for heading, text in sections if heading and len(text) >= FEWEST_CHARACTERS]
    if len(told) < SEVERAL:
        return opening
    return opening + [Passage(f"{title}: {heading}\n{text[:LONGEST]}", False) for heading, text in told[:MOST_SECTIONS]]


def _sections(headings: set[str], lines: Iterable[str]) -> list[tuple[str, str]]:
    """Heading and text of each, without those that have none, as in a list of contents."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if (called := line.rstrip(_SIGNS)) in headings:
            found.append((called, []))
        else:
            found[-1][1].append(line)
    return [(heading, said) for heading, text in found if (said := " ".join(text).strip())]
