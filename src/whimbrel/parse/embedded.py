"""What a page says for machines: JSON-LD, microdata, RDFa and OpenGraph. From the kept copy; no crawl pays for it.

The parser finds and reads them. JSON is decoded here instead, by a decoder that refuses what is nested too deeply, and
everything is bounded: a page may claim anything.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Struct
from turbohtml import Document, Element, MicrodataItem, RdfaItem

from whimbrel.parse.document import is_plain, tree_of

MOST_ITEMS = 200
MOST_VALUES = 5_000
"""Of all items of a page, the values within values among them."""
MOST_CHARACTERS = 5_000
"""Of one text."""
DEEPEST = 12
MOST_SCRIPTS, SCRIPT_CHARACTERS = 50, 1_000_000
MOST_REFERENCES = 200
"""By `itemref`, each of which may repeat much of the page."""

DataValue: TypeAlias = "str | int | float | bool | list[DataValue] | dict[str, DataValue] | None"

_IN_HEAD = (b'"og:', b"'og:", b'"article:', b'"product:', b'"book:', b'"profile:', b'"video:', b'"music:')
_SCRIPT = re.compile(rb"<script\b[^>]*ld\+json[^>]*>.*?</script", re.IGNORECASE | re.DOTALL)
_LINKED_DATA = "application/ld+json"
_LAST = re.compile(r"[^/#:]+(?=[/#]*$)")
_SCRIPT_MARKS = re.compile(r"^\s*(?:<!--|//<!\[CDATA\[|<!\[CDATA\[)|(?:-->|//\]\]>|\]\]>)\s*;?\s*$")
_JSON = msgspec.json.Decoder()


class DataItem(Struct, frozen=True):
    """One thing that a page describes. `syntax` is json-ld, microdata, rdfa or opengraph; `types` are what it is, by
    the last part of their names ("Product"); `data` is what is said of it."""

    syntax: str
    types: tuple[str, ...]
    data: dict[str, DataValue]


def data_in(body: bytes, content_type: str, address: str = "") -> list[DataItem]:
    """What the page describes, things within things left there; addresses are made whole."""
    part = b"" if is_plain(content_type) else telling_part(body)
    return data_of(tree_of(part, content_type)[0], address) if part else []


def telling_part(body: bytes) -> bytes:
    """What has to be parsed: nothing of most pages, the head and the scripts of data of most others. Parsing all would
    cost an index more than all the rest."""
    lower = body.lower()
    if b"itemscope" in lower or b"typeof=" in lower:
        return body
    linked = b"ld+json" in lower
    ends = lower.find(b"</head")
    ends = ends if ends >= 0 else len(body)
    # OpenGraph stands in that attribute: one search of the head spares most pages eight of all they say.
    if not linked and not (lower.find(b"property", 0, ends) >= 0 and any(sign in lower for sign in _IN_HEAD)):
        return b""
    return body[:ends] + b"".join(_SCRIPT.findall(body, ends) if linked else ())


def data_of(document: Document, address: str = "") -> list[DataItem]:
    budget = _Budget()
    found: list[DataItem] = []
    for syntax, things in (
        ("json-ld", _linked(document)),
        ("microdata", _microdata(document, address)),
        ("rdfa", _rdfa(document, address)),
        ("opengraph", _opengraph(document, address)),
    ):
        for thing in things:
            if len(found) == MOST_ITEMS or budget.spent:
                return found
            data = budget.bounded(thing, 0)
            if isinstance(data, dict) and data:
                found.append(DataItem(syntax, tuple(dict.fromkeys(_types(data))), data))
    return found


def types_in(items: Iterable[DataItem]) -> list[str]:
    """Every type that some thing has, things within things among them."""
    types: dict[str, None] = {}
    waiting: list[DataValue] = [item.data for item in items]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            types.update(dict.fromkeys(_types(value)))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return list(types)


def short_name(name: str) -> str:
    """Without the vocabulary: `https://schema.org/Product` and `schema:Product` are a Product."""
    last = _LAST.search(name.strip()[:500])
    return last[0] if last else ""


def _types(data: Mapping[str, DataValue]) -> Iterator[str]:
    said = data.get("@type")
    for one in said if isinstance(said, list) else [said]:
        if isinstance(one, str) and (name := short_name(one)):
            yield name


class _Budget:
    """What is left of what one page may say."""

    def __init__(self) -> None:
        self._values = MOST_VALUES

    @property
    def spent(self) -> bool:
        return self._values <= 0

    def bounded(self, value: object, depth: int) -> DataValue:
        self._values -= 1
        if isinstance(value, str):
            return " ".join(value.split())[:MOST_CHARACTERS]
        if value is None or isinstance(value, bool | int | float):
            return value
        if depth >= DEEPEST or self.spent:
            return None
        if isinstance(value, Mapping):
            return {str(name)[:200]: self.bounded(one, depth + 1) for name, one in value.items() if not self.spent}
        if isinstance(value, list | tuple):
            return [self.bounded(one, depth + 1) for one in value if not self.spent]
        return None


def _linked(document: Document) -> Iterator[object]:
    scripts = (one for one in document.iter_elements("script") if _is_linked(one))
    for _, script in zip(range(MOST_SCRIPTS), scripts, strict=False):
        text = script.text
        if len(text) > SCRIPT_CHARACTERS:
            continue
        try:
            said = _JSON.decode(_SCRIPT_MARKS.sub("", text).strip())
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            continue  # of pages with data, one in some hundred has a script that is no JSON
        yield from _things(said)


def _is_linked(script: Element) -> bool:
    return str(script.attr("type") or "").partition(";")[0].strip().lower() == _LINKED_DATA


def _things(said: object) -> Iterator[object]:
    """A script may hold one thing, several, or a graph of them."""
    for one in said if isinstance(said, list) else [said]:
        graph = one.get("@graph") if isinstance(one, dict) else None
        if isinstance(graph, list):
            yield from graph
        else:
            yield one


def _microdata(document: Document, address: str) -> Iterator[object]:
    if document.find(None, itemscope=True) is None or not _refers_within_reason(document):
        return
    try:
        items = document.microdata(address or None)
    except RecursionError:
        return  # it holds itself
    for item in items:
        yield _item(item, 0)


def _refers_within_reason(document: Document) -> bool:
    """What is referred to may refer on, and each way to it is another copy: sixty elements would make a billion. Nobody
    but an attacker refers in two steps."""
    referring = document.find_all(None, itemref=True)
    names = [name for one in referring for name in str(one.attr("itemref") or "").split()]
    if len(names) > MOST_REFERENCES:
        return False
    referred = set(names)
    return not any(
        isinstance(around, Element) and around.attr("id") in referred
        for one in referring
        for around in (one, *one.ancestors)
    )


def _item(item: MicrodataItem | RdfaItem, depth: int) -> dict[str, object]:
    kinds = item.type.split() if isinstance(item.type, str) else item.type or []
    named = item.id if isinstance(item, MicrodataItem) else item.resource
    said: dict[str, object] = {"@type": kinds if len(kinds) != 1 else kinds[0]} if kinds else {}
    if named:
        said["@id"] = named
    for name, values in item.properties.items():
        kept = [one if isinstance(one, str) else _item(one, depth + 1) for one in values if depth < DEEPEST]
        said[short_name(name) or name] = kept if len(kept) != 1 else kept[0]
    return said


def _rdfa(document: Document, address: str) -> Iterator[object]:
    if document.find(None, typeof=True) is None:
        return
    try:
        items = document.rdfa(address or None)
    except RecursionError:
        return  # nested deeper than anything that describes a thing
    for item in items:
        yield _item(item, 0)


def _opengraph(document: Document, address: str) -> Iterator[object]:
    said = document.structured_data(address or None).opengraph if document.find("meta", property=True) else {}
    said = {name: value for name, value in said.items() if not name.startswith("twitter:")}
    if not said:
        return
    kind = said.pop("og:type", "")
    yield {**({"@type": kind} if kind else {}), **{name.removeprefix("og:"): value for name, value in said.items()}}
