"""The piece of a page that shows why it answers."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from whimbrel.parse.words import end_of_word, flat, in_word, paired

LENGTH = 260
LEAD = 60
MOST_CHARACTERS = 200_000
MOST_MATCHES = 10
"""Of one word: a page that says it more often says it near its beginning, too."""
MOST_BESIDE = 4
MOST_WINDOWS = 8
AROUND = 20
MOST_LOOKS = 100
"""At words that begin alike: "a" begins many."""

_SPACE = re.compile(r"\s+")
_MARK = "\ue000"
"""Where a word begins or ends that is shown as found."""
_CODE = re.compile(rf"[(\[{{]{_MARK}? |\( ?\)| \. ?")
_CALL = re.compile(rf"(?:(?<=[\w\]\"'])|(?<=[\w\]\"']{_MARK})) (?={_MARK}?\([ )])")
_MEMBER = re.compile(
    rf"(?<=[\w\])])({_MARK}?)(?: \. ?(?={_MARK}?[a-z_])|\. (?={_MARK}?[a-z_]\w*{_MARK}? {_MARK}?\([ )]))"
)
_OPENED = re.compile(rf"(?<=[(\[{{])({_MARK}?) (?=\S)")
_LOOSE = re.compile(rf" (?={_MARK}?[,.)\]](?:{_MARK}? |{_MARK}?$|[,.)\]]))")
"""Where an element ends before a comma or within code: kept texts set a space between one element and the next. A
parenthesis with a space or nothing inside is one of code: nobody else types it so."""
_HEADING_LINK = re.compile(r"(?<=\s)[¶🔗](?=\s|$)")
"""The sign behind a heading that only links to it: a dot parts the heading from what follows."""

Pieces = tuple[tuple[str, bool], ...]


class WordMatch(Struct, frozen=True, gc=False):
    start: int
    end: int
    word: int


class Stretch(Struct, frozen=True):
    """A piece of a text; `at` is where the first word that was looked for stands in it, or where it begins; `matched`
    says whether there is one."""

    pieces: Pieces
    at: int
    matched: bool


class Highlighter:
    """Finds the words of one query in texts. `forms` gives the tokens that a word may be indexed as."""

    def __init__(self, words: Iterable[str], forms: Callable[[str], list[str]]) -> None:
        self._forms = forms
        wanted = list(words)
        self._wanted = {form: at for at, word in enumerate(wanted) for form in forms(word)}
        starts = sorted({_start(word, form) for word in wanted for form in forms(word)}, key=len)
        self._starts = [start for at, start in enumerate(starts) if not start.startswith(tuple(starts[:at]))]
        self._plain = [b" " + start.encode("latin-1") for start in self._starts if _is_plain(start)]
        self._others = [start for start in self._starts if not _is_plain(start)]
        self._judged: dict[str | bytes, int | None] = {}

    def snippet(self, text: str) -> Pieces:
        return self.stretch(text[:MOST_CHARACTERS]).pieces

    def stretch(
        self, text: str, unread: Callable[[str], bool] = lambda _: False, begin: int = 0, after: int = 0
    ) -> Stretch:
        """The stretch that holds most of the words, cut at spaces, and that is not `unread`, as menus are; where there
        is none it is the one from `begin`. What stands before `after` is looked at only where the rest has no word."""
        if after and (found := self.stretch(text[after:], unread)).matched:
            return Stretch(found.pieces, after + found.at, True)
        matches = self._matches(text)
        best: tuple[int, int, list[WordMatch]] | None = None
        for first, last in _windows(matches)[:MOST_WINDOWS]:
            start = max(0, matches[first].start - LEAD)
            start, end = _cut(text, start, min(len(text), start + LENGTH))
            inside = [match for match in matches[first : last + 1] if start <= match.start < end]
            # Judged is what stands around the words: a menu may end within the stretch.
            readable = not unread(text[max(0, matches[first].start - AROUND) : matches[last].end + AROUND])
            if best is None or readable:
                best = start, end, inside
            if readable:
                break
        if best is None:
            best = (*_cut(text, begin, min(len(text), begin + LENGTH)), [])
        start, end, inside = best
        return Stretch(_pieces(text, start, end, inside), inside[0].start if inside else start, bool(inside))

    def opening(self, text: str, at: int) -> Stretch:
        """The stretch that begins at a place, as a section does, cut at a space."""
        _, end = _cut(text, 0, min(len(text), at + LENGTH))
        said = text[at:end]
        matches = self._matches(said)
        pieces = _pieces(said, 0, len(said), matches)
        more: Pieces = ((" …", False),) if end < len(text) else ()
        return Stretch(pieces + more, at + matches[0].start if matches else at, bool(matches))

    def words_in(self, text: str) -> int:
        """How many different words that are looked for a text holds."""
        return len({match.word for match in self._matches(text)})

    def _matches(self, text: str) -> list[WordMatch]:
        found = self._plain_matches(text) if self._plain else []
        if self._others:
            lower = text.lower()
            if len(lower) != len(text):  # "İ" becomes two characters; positions have to stay
                lower = "".join(low if len(low := c.lower()) == 1 else c for c in text)
            found += [match for start in self._others for match in self._other_matches(start, lower)]
        return sorted(found, key=_by_start)

    def _plain_matches(self, text: str) -> list[WordMatch]:
        """The first few of each word, and of all words those beside one that is rare: a stretch with most words holds
        it."""
        words = b" " + flat(text) + b" "  # a word at position p of the text begins behind the space at p
        found = [self._within(start, words, 0, len(words)) for start in self._plain]
        if len(found) > 1 and max(map(len, found)) >= MOST_MATCHES:
            rare = min(filter(None, found), key=len)
            for match in rare[:MOST_BESIDE]:
                around = max(0, match.start - LENGTH), match.start + LENGTH
                found += [self._within(start, words, *around) for start in self._plain]
        once = {match.start: match for those in found for match in those}.values()
        return list(once) if _is_latin(text) else [match for match in once if _stands_alone(text, match)]

    def _within(self, start: bytes, words: bytes, first: int, last: int) -> list[WordMatch]:
        found: list[WordMatch] = []
        judged = self._judged
        looks, at = 0, words.find(start, first, last)
        while at >= 0 and looks < MOST_LOOKS and len(found) < MOST_MATCHES:
            looks += 1
            end = words.find(b" ", at + 1)
            seen = words[at + 1 : end]
            word = judged[seen] if seen in judged else self._which(seen)
            if word is not None:
                found.append(WordMatch(at, end - 1, word))
            at = words.find(start, end, last)
        return found

    def _other_matches(self, start: str, lower: str) -> Iterator[WordMatch]:
        """Of a word with letters beyond Latin-1."""
        pairs, count, looks, at = paired(start), 0, 0, lower.find(start)
        while at >= 0 and count < MOST_MATCHES and looks < MOST_LOOKS:
            looks += 1
            end = at + len(start)
            if pairs or at == 0 or not in_word(lower[at - 1]):
                end = end if pairs else end_of_word(lower, end)
                word = self._which(lower[at:end])
                if word is not None:
                    count += 1
                    yield WordMatch(at, end, word)
            at = lower.find(start, end)

    def _which(self, seen: str | bytes) -> int | None:
        """Which of the query's words it is: the page may say it in another form."""
        if seen not in self._judged:
            word = seen if isinstance(seen, str) else seen.decode("latin-1")
            hits = [self._wanted[form] for form in self._forms(word) if form in self._wanted]
            self._judged[seen] = min(hits, default=None)
        return self._judged[seen]


def _by_start(match: WordMatch) -> int:
    return match.start


def _is_plain(start: str) -> bool:
    """Whether it is written in letters and digits of Latin-1 alone, as `flat` keeps them."""
    return _is_latin(start) and b" " not in flat(start)


def _is_latin(text: str) -> bool:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def _stands_alone(text: str, match: WordMatch) -> bool:
    """Whether no letter that `flat` took for a space is joined to it."""
    before, behind = text[max(0, match.start - 1) : match.start], text[match.end : match.end + 1]
    return not (before and in_word(before)) and not (behind and in_word(behind))


def _start(word: str, form: str) -> str:
    """What every spelling of a word begins with: "happiness" and "happy", both stemmed to "happi", share "happ"."""
    form = form.removesuffix("i") if form != word else form
    common = 0
    while common < min(len(word), len(form)) and word[common] == form[common]:
        common += 1
    return word[: max(common, 1)] if not paired(word) else word


def _windows(matches: list[WordMatch]) -> list[tuple[int, int]]:
    """First and last match of stretches, the best first: most different words, then most matches, then the earliest."""
    found: dict[int, tuple[int, int, int]] = {}
    first, different = 0, 0
    inside: Counter[int] = Counter()
    for last, match in enumerate(matches):
        different += not inside[match.word]
        inside[match.word] += 1
        # A word longer than a stretch stands alone in it.
        while first < last and match.end - matches[first].start > LENGTH - LEAD:
            inside[matches[first].word] -= 1
            different -= not inside[matches[first].word]
            first += 1
        found[first] = (-different, first - last, last)
    ranked = sorted((*worth[:2], first, worth[2]) for first, worth in found.items())
    return [(first, last) for _, _, first, last in ranked]


def _cut(text: str, start: int, end: int) -> tuple[int, int]:
    """Moved to the nearest spaces inside, where there are any near."""
    if start > 0 and (space := text.find(" ", start, start + LEAD // 2)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", end - LEAD // 2, end)) >= 0:
        end = space
    return start, end


def _pieces(text: str, start: int, end: int, matches: list[WordMatch]) -> Pieces:
    shown, at = "", start
    for match in matches:
        # Pairs of characters overlap where three were asked for; a long word may go on beyond the stretch.
        first, last = max(at, match.start), min(end, match.end)
        shown += f"{_said(text, at, first)}{_MARK}{_said(text, first, last)}{_MARK}"
        at = max(at, last)
    parts = enumerate(_tidy(shown + _said(text, at, end)).split(_MARK))
    before: Pieces = (("… ", False),) if start > 0 else ()
    behind: Pieces = ((" …", False),) if end < len(text) else ()
    return (*before, *((piece, place % 2 == 1) for place, piece in parts if piece), *behind)


def _said(text: str, start: int, end: int) -> str:
    return text[start:end].replace(_MARK, " ")


def _tidy(shown: str) -> str:
    """On one line, without the spaces that nobody typed."""
    line = _SPACE.sub(" ", _HEADING_LINK.sub("·", shown))
    if _CODE.search(line):
        line = _OPENED.sub(r"\1", _CALL.sub("", _MEMBER.sub(r"\1.", line)))
    return _LOOSE.sub("", line)
