"""How much of a page fits into what an agent can read at once."""

from collections.abc import Sequence

from msgspec import Struct

from whimbrel.exchange.sections import MarkdownSection

BYTES_A_TOKEN = 3
"""Prose takes tokenizers four bytes and more a token in English, fewer in most other languages and in code. No count is
right for all of them; this one is seldom too low."""


class PagePortion(Struct, frozen=True):
    """`next` is where the rest begins, None where there is none."""

    text: str
    next: int | None


def tokens_in(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def portion(text: str, start: int, tokens: int) -> PagePortion:
    """As much of the text from `start` on as the budget allows: up to the end of a paragraph where one ends in the
    second half, else of a line, else of a word."""
    rest = text[start:]
    room = rest.encode("utf-8", "replace")[: tokens * BYTES_A_TOKEN].decode("utf-8", "ignore")
    if len(room) >= len(rest):
        return PagePortion(rest, None)
    for end in ("\n\n", "\n", " "):
        at = room.rfind(end)
        if at >= len(room) // 2:
            room = room[: at + len(end)]
            break
    return PagePortion(room, start + len(room))


def below(sections: Sequence[MarkdownSection], wanted: str) -> list[MarkdownSection]:
    """The section of this anchor or heading, with all that stands under it; none where there is no such section."""
    name = wanted.strip().removeprefix("#")
    first = _first(sections, name) if name else None
    if first is None:
        return []
    found = [sections[first]]
    for section in sections[first + 1 :]:
        if section.level <= sections[first].level:
            break
        found.append(section)
    return found


def _first(sections: Sequence[MarkdownSection], name: str) -> int | None:
    """By its anchor, else by its heading, however that is written."""
    ways = (
        lambda section: section.mark == name,
        lambda section: section.heading == name,
        lambda section: _plainly(section.heading) == _plainly(name) != "",
    )
    for is_it in ways:
        for at, section in enumerate(sections):
            if section.level and is_it(section):
                return at
    return None


def _plainly(heading: str) -> str:
    return " ".join(heading.casefold().rstrip(" ¶#§🔗").split())
