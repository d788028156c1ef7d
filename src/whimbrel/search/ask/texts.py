"""The visible texts of pages that were found, and what is shown of them: a stretch of the text, not of the menu, and
the section that it stands in."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from whimbrel.documents.papers import texts as paper_texts
from whimbrel.flows.packing import SnippetSource, shown_of
from whimbrel.parse.stops import stop_words
from whimbrel.parse.words import split
from whimbrel.repository.port.followed import Followed
from whimbrel.search.ask.snippets import LENGTH, MOST_CHARACTERS, Highlighter, Pieces, Stretch
from whimbrel.search.book import BookRow

LONG_CHARACTERS = 6_000
"""A page with more text is a book: a reader wants the chapter."""
FEWEST_IN_MENU = 3
"""Links in a row at the beginning of a page that are taken for a menu, not for its first words."""
MENU_SHARE = 0.5
"""Of the letters of a stretch that are words of links."""
SHORTEST_LINK = 3
LOOKED_AT = 300
"""Characters behind a heading, which tell whether the text begins there."""
MENU_CHARACTERS = 400
"""Of a menu between two places where a heading stands."""
MOST_STARTS = 20
MOST_SECTIONS = 200
WORDS_OF_HEADING = 2
"""Different words of the query: a heading that says them says what its section is about."""
FEWEST_IN_LIST = 8
PROSE_SHARE = 0.1
"""Of its words are stop words at least, in any of the languages that we have lists of: in English it is mostly four in
ten. Lists of contents and of functions have hardly one."""

Section = tuple[int, str, str]
"""Where it begins in the text, its heading and the fragment that leads there."""


class Excerpt(Struct, frozen=True):
    """What a hit shows of its page: a piece of the text, and of a long page the section that holds it, with the
    fragment that leads there; both "" where there is none."""

    pieces: Pieces = ()
    section: str = ""
    mark: str = ""


class Texts:
    """Of these pages; "" for one that the repository no longer holds."""

    def __init__(self, folder: Path, source: Followed, rows: Iterable[BookRow]) -> None:
        rows = list(rows)
        self._languages = {row.key: row.language for row in rows}
        versions = {row.key: row.version for row in rows}
        readings = source.readings(versions.values())
        self._packed = {key: readings[version] for key, version in versions.items() if version in readings}
        others = {key: version for key, version in versions.items() if key not in self._packed}
        marks = source.marks(others.values()) if others else {}
        digests = {key: marks[version].digest for key, version in others.items() if version in marks}
        self._papers = paper_texts(folder, digests)

    def whole(self, key: int) -> str:
        return self._shown(key).text

    def excerpt(self, key: int, highlighter: Highlighter) -> Excerpt:
        shown = self._shown(key)
        text = shown.text[:MOST_CHARACTERS]
        sections = sections_of(shown, text)
        # A list of contents links into its own page, which no anchor tells of; it says what the headings say.
        linked = [*shown.anchors, *(called(heading) for _, heading, _ in sections)]
        unread = menu(linked, stop_words(self._languages.get(key, "")))
        begin = sections[0][0] if sections else 0
        # What the menus before the text say again and again is not looked for in them.
        after = next((at for at, said in _begun(text, sections[:MOST_STARTS]) if not unread(said)), 0)
        lead = links_first(text, shown.anchors)
        found = _headed(highlighter, text, sections, after)
        if found is None:
            read = highlighter.stretch(text[lead:], unread, max(0, begin - lead), max(0, after - lead))
            found = from_heading(highlighter, text, sections, Stretch(read.pieces, read.at + lead, read.matched))
        _, section, mark = max((one for one in sections if one[0] <= found.at), default=(0, "", ""))
        long = len(shown.text) > LONG_CHARACTERS and mark
        return Excerpt(found.pieces, called(section), mark) if long else Excerpt(found.pieces)

    def _shown(self, key: int) -> SnippetSource:
        packed = self._packed.get(key)
        return shown_of(packed) if packed is not None else SnippetSource(self._papers.get(key, ""))


def _begun(text: str, sections: list[Section]) -> Iterator[tuple[int, str]]:
    """The beginning of the page and of its sections, and what each says first. What stands above the first heading,
    which may be there once more, is often a menu and nothing else."""
    first, heading, _ = sections[0] if sections else (LOOKED_AT, "", "")
    if first:
        yield 0, text[: min(first, LOOKED_AT)].removeprefix(heading)
    for at, _, _ in sections:
        yield at, text[at : at + LOOKED_AT]


def _headed(highlighter: Highlighter, text: str, sections: list[Section], after: int) -> Stretch | None:
    """The beginning of the section whose heading says most of what was asked, where it says two words of it; headings
    before `after` are a menu's."""
    told = [(highlighter.words_in(heading), -at) for at, heading, _ in sections[:MOST_SECTIONS] if at >= after]
    words, at = max(told, default=(0, 0))
    if words < WORDS_OF_HEADING:
        return None
    return highlighter.opening(text, -at)


def from_heading(highlighter: Highlighter, text: str, sections: list[Section], found: Stretch) -> Stretch:
    """From the last heading on that stands in a stretch before all of its words: what comes before, like the path that
    leads to a page, ends another section."""
    end = found.at + LENGTH
    words = highlighter.words_in(text[found.at : end]) if found.matched else 0
    for at, _, _ in reversed([one for one in sections if found.at < one[0] < end]):
        if highlighter.words_in(text[at:end]) == words:
            return highlighter.opening(text, at)
    return found


def menu(anchors: list[str], stops: frozenset[str] = frozenset()) -> Callable[[str], bool]:
    """Whether a stretch of the text consists of links more than of anything else, or of names without sentences, which
    links within the page are; `stops` are the stop words of its language, none where they are not known."""
    texts = sorted({text for text in anchors if len(text) >= SHORTEST_LINK}, key=len, reverse=True)

    def is_menu(stretch: str) -> bool:
        words = split(stretch) if stops else []
        if len(words) >= FEWEST_IN_LIST and sum(word in stops for word in words) < PROSE_SHARE * len(words):
            return True
        rest = stretch
        for text in texts:
            if text in rest:
                rest = rest.replace(text, "")
        return _letters(rest) < (1 - MENU_SHARE) * _letters(stretch)

    return is_menu


def links_first(text: str, anchors: list[str]) -> int:
    """Where a page begins that has nothing but links before: the end of a menu of at least `FEWEST_IN_MENU`."""
    texts = sorted({anchor for anchor in anchors if anchor}, key=len, reverse=True)
    at = links = 0
    while (link := next((each for each in texts if text.startswith(each, at)), None)) is not None:
        end = at + len(link)
        if end < len(text) and not text[end].isspace():
            break
        at, links = end + 1, links + 1
    return min(at, len(text)) if links >= FEWEST_IN_MENU else 0


def called(heading: str) -> str:
    """Without the sign that only links to it."""
    return heading.rstrip(" ¶#§🔗")


def _letters(text: str) -> int:
    return len(text) - text.count(" ")


def sections_of(shown: SnippetSource, text: str) -> list[Section]:
    """The headings are in the text in their order, and often once more, in a list of contents before or behind. Looked
    for from the beginning all may be found in the one, from the end in the other: where they lie apart they are."""
    headings = shown.headings.split("\n") if shown.headings else []
    marks = shown.marks if len(shown.marks) == len(headings) else [""] * len(headings)
    ahead, back = _forwards(text, headings), _backwards(text, headings)
    places = ahead if _spread(ahead) >= _spread(back) else back
    links = tuple({anchor for anchor in shown.anchors if len(anchor) >= SHORTEST_LINK})
    places = [_below_menu(text, heading, at, links) for heading, at in zip(headings, places, strict=True)]
    return [(at, heading, mark) for at, heading, mark in zip(places, headings, marks, strict=True) if at >= 0]


def _forwards(text: str, headings: list[str]) -> list[int]:
    places, at = [], 0
    for heading in headings:
        found = text.find(heading, at) if heading else -1
        places.append(found)
        at = found + len(heading) if found >= 0 else at
    return places


def _backwards(text: str, headings: list[str]) -> list[int]:
    places, at = [], len(text)
    for heading in reversed(headings):
        found = text.rfind(heading, 0, at) if heading else -1
        places.append(found)
        at = found if found >= 0 else at
    return places[::-1]


def _below_menu(text: str, heading: str, at: int, links: tuple[str, ...]) -> int:
    """A menu above a page often begins with its heading, and links follow: then the place where it stands once more
    soon after, with something else behind it."""
    again = at
    while 0 <= again < at + MENU_CHARACTERS:
        after = again + len(heading)
        if not text[after : after + LOOKED_AT].lstrip().startswith(links):
            return again
        again = text.find(heading, after)
    return at


def _spread(places: list[int]) -> int:
    found = [at for at in places if at >= 0]
    return max(found) - min(found) if found else 0
