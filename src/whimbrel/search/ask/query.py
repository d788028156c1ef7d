"""What a typed query means. Anything can be typed: what cannot be understood is left out, and a note says so."""

import re
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from whimbrel.parse.embedded import short_name
from whimbrel.parse.languages import declared_language
from whimbrel.parse.words import split
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.search.contract import Query
from whimbrel.urls.normal import normalise

MOST_CHARACTERS = 10_000
MOST_WORDS = 400
MOST_FILTERS = 16
PROSE_WORDS = 16
"""Whoever writes so many words writes sentences, in which quotation marks only quote and "-v" is an option."""
PROSE_WORDS_TYPOGRAPHIC = 4
"""Fewer tell it where the marks are of the kind that is set in print: they come with what was copied, or from programs
that put them for the typed ones, while who asks for words together types these."""

PRINTED = "beside so many words printed quotation marks only quote: what they hold need not be found as it is"
PROSE = "in so long a query quotation marks only quote, and nothing is left out for a dash before it"

TYPES = {
    "html": "html", "htm": "html", "page": "html", "pdf": "pdf", "text": "text", "txt": "text", "feed": "feed",
    "rss": "feed", "atom": "feed", "document": "document", "doc": "document", "docx": "document", "odt": "document",
    "word": "document", "slides": "slides", "ppt": "slides", "pptx": "slides", "odp": "slides", "sheet": "sheet",
    "ods": "sheet", "xlsx": "sheet", "image": "image", "picture": "image", "other": "other",
}  # fmt: skip

_PIECE = re.compile(
    r"""(?P<minus>(?<!\S)-)?(?:(?P<name>site|type|lang|has|before|after|like|shape):(?P<value>"[^"]*"|\S*)"""
    r"""|(?<!\d)(?:"(?P<phrase>[^"]*)"|[“”„](?P<printed>[^"“”„]*)[“”„])"""
    r"""|(?P<word>[^\s"“”„]+)|(?P<stray>["“”„]))""",
    re.IGNORECASE,
)
_JOINED = re.compile(r"[^\W_]+(?:(?:_+|::|->|[.\\:@#$])[^\W_]+)+")
"""A name as programs have it: `os.path.join`, `max_connections`, `std::vector`. A dash or a slash joins words of any
text."""
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_HOST = re.compile(r"(?:https?://)?(?:\*?\.)?([^/\s?#@]+)(/[^\s]*)?", re.IGNORECASE)
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*", re.IGNORECASE)


class _Draft(Struct):
    typed: list[str] = []
    """All words, excluded ones too."""
    said: list[str] = []
    words: list[str] = []
    prose: list[str] = []
    """The words, with those between printed quotation marks in their places."""
    phrases: list[tuple[str, ...]] = []
    printed: list[tuple[str, ...]] = []
    excluded: list[str] = []
    excluded_phrases: list[tuple[str, ...]] = []
    sites: list[str] = []
    types: list[str] = []
    languages: list[str] = []
    has: list[str] = []
    after: float | None = None
    before: float | None = None
    like: Url | None = None
    shapes: list[str] = []
    joined: list[tuple[str, ...]] = []
    notes: list[str] = []


def parse(text: str) -> Query:
    """Reads `site:` and the other filters, "phrases" and -exclusions; never raises."""
    draft = _Draft()
    typed = " ".join(text.split())
    cut = typed[:MOST_CHARACTERS]
    if len(typed) > len(cut):
        draft.notes.append(f"only the first {MOST_CHARACTERS:,} characters were read")
    for piece in _PIECE.finditer(cut):
        if piece["name"]:
            _filter(draft, piece["name"].lower(), piece["value"].strip('"'), bool(piece["minus"]))
        elif piece["phrase"] is not None:
            _phrase(draft, piece["phrase"], bool(piece["minus"]))
        elif piece["printed"] is not None:
            _phrase(draft, piece["printed"], bool(piece["minus"]), printed=True)
        elif piece["word"]:
            _words(draft, piece["word"], bool(piece["minus"]))
        else:
            draft.notes.append("a quotation mark without its partner was ignored")
    return _finished(draft, cut)


def _phrase(draft: _Draft, text: str, minus: bool, *, printed: bool = False) -> None:
    words = tuple(split(text))
    draft.typed.extend(words)
    draft.said.extend(() if minus else words)
    if printed and words and not minus:
        draft.prose.extend(words)
        draft.printed.append(words)
    if len(words) == 1 and minus:
        draft.excluded.append(words[0])
    elif words:
        (draft.excluded_phrases if minus else draft.phrases).append(words)


def _words(draft: _Draft, text: str, minus: bool) -> None:
    words = split(text)
    # "-r", "--all" and "-5" are options and numbers, not what somebody wants to have left out.
    minus = minus and not (text.startswith("-") or (len(text) == 1 and text.isascii()))
    draft.typed.extend(words)
    draft.said.extend(() if minus else words)
    if minus and len(words) > 1:
        draft.excluded_phrases.append(tuple(words))
    else:
        (draft.excluded if minus else draft.words).extend(words)
        draft.joined.extend(() if minus else _joined(text))
        draft.prose.extend(() if minus else words)


def _joined(text: str) -> list[tuple[str, ...]]:
    names = [tuple(split(name)) for name in _JOINED.findall(text)]
    return [name for name in names if len(name) > 1]


def _filter(draft: _Draft, name: str, value: str, minus: bool) -> None:
    written = f"{'-' if minus else ''}{name}:{value}"
    if minus:
        draft.notes.append(f"{written} was ignored: only words and phrases can be excluded")
    elif not value:
        draft.notes.append(f"{written} was ignored: nothing follows it")
    elif name in ("before", "after"):
        _date(draft, name, value)
    elif name == "like":
        _like(draft, value)
    elif name == "site":
        _site(draft, value)
    elif name == "type":
        _type(draft, value)
    elif name == "shape":
        draft.shapes.append(value.casefold())
        draft.types.append("image")
    elif name == "has":
        draft.has.append((short_name(value) or value).casefold())
    else:
        _language(draft, value)


def _site(draft: _Draft, value: str) -> None:
    found = _HOST.fullmatch(value)
    if found is None:
        draft.notes.append(f"site:{value} was ignored: it names no host")
        return
    draft.sites.append(found[1].lower().rstrip("."))
    if found[2] not in (None, "/"):
        draft.notes.append(f"of site:{value} only the host was used")


def _like(draft: _Draft, value: str) -> None:
    url = normalise(value if "://" in value else f"https://{value}")
    if isinstance(url, Verdict):
        draft.notes.append(f"like:{value} was ignored: write the address of a page")
    else:
        draft.like = url


def _type(draft: _Draft, value: str) -> None:
    known = TYPES.get(value.lower())
    if known is None:
        draft.notes.append(f"type:{value} was ignored; the types are {', '.join(dict.fromkeys(TYPES.values()))}")
    else:
        draft.types.append(known)


def _language(draft: _Draft, value: str) -> None:
    found = _LANGUAGE.fullmatch(value)
    if found is None:
        draft.notes.append(f"lang:{value} was ignored: write it like lang:en")
    else:
        draft.languages.append(declared_language(found[1]) or found[1].lower())


def _date(draft: _Draft, name: str, value: str) -> None:
    moment = _moment(value)
    if moment is None:
        draft.notes.append(
            f"{name}:{value} was ignored: write it like {name}:2024-06-30, {name}:2024-06 or {name}:2024"
        )
    elif name == "after":
        draft.after = moment
    else:
        draft.before = moment


def _moment(value: str) -> float | None:
    """The beginning of a day, month or year in UTC."""
    found = _DATE.fullmatch(value)
    if found is None:
        return None
    try:
        day = datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), tzinfo=UTC)
    except ValueError:
        return None
    return (day - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1)


def _demanded(draft: _Draft) -> None:
    """Leaves what has to be found, and what must not be, as it is where few words stand beside it."""
    if len(draft.words) >= PROSE_WORDS and (draft.phrases or draft.excluded or draft.excluded_phrases):
        draft.words = draft.said = draft.typed
        draft.phrases, draft.excluded, draft.excluded_phrases = [], [], []
        draft.notes.append(PROSE)
    elif len(draft.words) >= PROSE_WORDS_TYPOGRAPHIC and draft.printed:
        draft.words = draft.prose
        draft.phrases = [one for one in draft.phrases if one not in draft.printed]
        draft.notes.append(PRINTED)


def _finished(draft: _Draft, text: str) -> Query:
    _demanded(draft)
    words = draft.words
    if len(words) > MOST_WORDS:
        draft.notes.append(f"only the first {MOST_WORDS} words were searched for")
        words = words[:MOST_WORDS]
    if (
        text
        and not (words or draft.phrases or draft.notes or draft.like or draft.sites or draft.types or draft.languages)
        and not draft.has
        and (draft.after is None and draft.before is None)
    ):
        draft.notes.append("there is no word in it to search for")
    return Query(
        text=text,
        words=tuple(words),
        phrases=tuple(dict.fromkeys(draft.phrases))[:MOST_FILTERS],
        excluded=tuple(dict.fromkeys(draft.excluded))[:MOST_WORDS],
        excluded_phrases=tuple(dict.fromkeys(draft.excluded_phrases))[:MOST_FILTERS],
        sites=tuple(dict.fromkeys(draft.sites))[:MOST_FILTERS],
        types=tuple(dict.fromkeys(draft.types)),
        languages=tuple(dict.fromkeys(draft.languages))[:MOST_FILTERS],
        has=tuple(dict.fromkeys(draft.has))[:MOST_FILTERS],
        after=draft.after,
        before=draft.before,
        said=tuple(draft.said),
        like=draft.like,
        shapes=tuple(dict.fromkeys(draft.shapes))[:MOST_FILTERS],
        joined=tuple(dict.fromkeys(draft.joined))[:MOST_FILTERS],
        notes=tuple(dict.fromkeys(draft.notes)),
    )
