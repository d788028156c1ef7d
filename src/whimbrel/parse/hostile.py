"""Pages made to exhaust a parser, cut down before it sees them.

The parser is linear for all but three shapes, and those are the danger: formatting elements left open are
opened again in every later block (28 kB became 2.5 million elements and 600 MB), attributes of repeated
`<html>` and `<body>` are merged one by one, and millions of tags cost what millions of elements cost.
Nesting it bounds itself; we bound it too, so that the page says what was left out.

Counting comes first, since nearly every page is innocent: nothing for a small one, the number of tags for a
larger one, one search more for a large one. Only what looks suspicious is read tag by tag.
"""

import re
from itertools import accumulate

from whimbrel.parse.nesting import Nesting, NestingLimits

SMALL_BYTES = 32_768
"""Not counted at all: the worst found below this took 0.4 s."""

MAX_BYTES = 32 * 1024 * 1024
MAX_TAGS = 500_000
MAX_ATTRIBUTES = 1_000
LIMITS = NestingLimits(depth=512, formatting=16, roots=8)

_MANY_TAGS = 8_000
_VERY_MANY_TAGS = 50_000
_LONG_TAG = 4096
_BYTES_A_TAG = 64
_CHUNK = 65_536

# A formatting element, <html> or <body> that has attributes, in any case. What it takes for one beside them (<fig >)
# is in no page; a class for the first letter is more than twice as fast as a branch for each.
_VARIED_TAG = re.compile(rb"<[BCEFHINSTUbcefhinstu](?i:ig|ody|ode|m|ont|tml|obr|mall|trike|trong|t)?[\s/]")
# For lower case only, and one branch for each first letter: three times as fast as the plain list of names.
_FORMATTING = rb"(?:b(?:ig)?|code|em|font|i|nobr|s(?:mall|trike|trong)?|tt|u)"
_FORMATTING_TAG = re.compile(rb"<(/?" + _FORMATTING + rb")(?=[\s/>])")
_ROOT_TAG = re.compile(rb"<(?=(?:html|body)[\s/])")
_TAG = re.compile(rb"<(/?)([A-Za-z][^\s/>]{0,31})[^>]*>")
_TAG_NAME = re.compile(rb"[A-Za-z][^\s/>]{0,31}")
_ATTRIBUTE = re.compile(rb"""[\s/]*[^\s/>=][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?""")
_RAW = frozenset({b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"})


def cut(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The page without what would cost too much, and what that was, in words."""
    notes: list[str] = []
    if len(body) > MAX_BYTES:
        notes.append(f"longer than {MAX_BYTES} bytes: {len(body) - MAX_BYTES} bytes left out")
        body = body[:MAX_BYTES]
    tags = body.count(b"<")
    if tags > MAX_TAGS:
        end = _position_of_tag(body, MAX_TAGS)
        notes.append(f"more than {MAX_TAGS} tags: {len(body) - end} bytes left out")
        body, tags = body[:end], MAX_TAGS
    if _suspicious(body, tags):
        body, more = _pruned(body)
        notes += more
    return body, tuple(notes)


def _suspicious(body: bytes, tags: int) -> bool:
    if len(body) > tags * _BYTES_A_TAG and _has_crowded_tag(body):
        return True
    if tags <= _MANY_TAGS:
        return False
    # Of equal elements, and so of those without attributes, only three of a name are opened again (the
    # standard's "Noah's Ark clause"): up to very many tags that is affordable.
    if tags <= _VERY_MANY_TAGS and len(_VARIED_TAG.findall(body)) <= LIMITS.formatting:
        return False
    body = body.lower()
    if _left_open(body) or len(_ROOT_TAG.findall(body)) > LIMITS.roots:
        return True
    # Some elements have no end tag; where one in eight is left open, it is not by chance.
    return tags > _VERY_MANY_TAGS and _rises(body) > tags // 8


def _has_crowded_tag(body: bytes) -> bool:
    """Text and scripts may be as long between two "<", but their tag has ended before, and most tags as long hold data
    in a few attributes. From each "<" to the farthest one that a long tag would have to reach beyond: a page has few
    such steps, and thousands of tags."""
    at, end = body.find(b"<"), len(body)
    while 0 <= at < end - 1 - _LONG_TAG:
        farthest = body.rfind(b"<", at + 1, at + 2 + _LONG_TAG)
        if farthest >= 0:
            at = farthest
        elif body[at + 1 : at + 2].isalpha() and body.find(b">", at + 2, at + 2 + _LONG_TAG) < 0 and _crowded(body, at):
            return True
        else:
            at = body.find(b"<", at + 1)
    return False


def _crowded(body: bytes, at: int) -> bool:
    end = body.find(b">", at)
    name = _TAG_NAME.match(body, at + 1, max(at + 1, end))
    return name is not None and _end_of_attributes(body, name.end(), end) < end


def _rises(body: bytes) -> int:
    """How far start tags outnumber end tags anywhere; elements that need no end tag count as open."""
    steps = []
    for start in range(0, len(body), _CHUNK):
        chunk = body[start : start + _CHUNK]
        steps.append(chunk.count(b"<") - 2 * chunk.count(b"</"))
    heights = list(accumulate(steps))
    lowest = accumulate(heights, min, initial=0)
    return max(height - low for height, low in zip(heights, lowest, strict=False))


def _left_open(body: bytes) -> bool:
    """Whether more formatting elements stand open anywhere than the limit."""
    open_now: dict[bytes, int] = {}
    total = 0
    for tag in _FORMATTING_TAG.findall(body):
        if tag[0] != 47:
            open_now[tag] = open_now.get(tag, 0) + 1
            total += 1
            if total > LIMITS.formatting:
                return True
        elif open_now.get(tag[1:]):
            open_now[tag[1:]] -= 1
            total -= 1
    return False


def _position_of_tag(body: bytes, number: int) -> int:
    low, high, before = 0, len(body), 0
    while high - low > 1:
        middle = (low + high) // 2
        count = body.count(b"<", low, middle)
        if before + count > number:
            high = middle
        else:
            low, before = middle, before + count
    return low


def _pruned(body: bytes) -> tuple[bytes, list[str]]:
    nesting = Nesting(LIMITS)
    kept: list[bytes] = []
    kept_to = raw_to = crowded = 0
    # Up to the last ">" every tag has an end, so that no search for one runs through the page in vain.
    for tag in _TAG.finditer(body, 0, body.rfind(b">") + 1):
        start, end = tag.span()
        if start < raw_to:
            continue
        name = tag[2].lower()
        if tag[1]:
            stays = nesting.close(name)
        else:
            stays = nesting.open(name)
            if name in _RAW and not nesting.foreign:
                raw_to = _end_of_raw(body, name, end)
            elif name == b"plaintext" and not nesting.foreign:
                break
            if stays and end - start > 2 * MAX_ATTRIBUTES:
                limit = _end_of_attributes(body, tag.end(2), end - 1)
                if limit < end - 1:
                    kept.append(body[kept_to:limit])
                    kept_to = end - 1
                    crowded += 1
        if not stays:
            kept.append(body[kept_to:start])
            kept_to = end
    kept.append(body[kept_to:])
    notes = nesting.notes()
    if crowded:
        notes.append(f"more than {MAX_ATTRIBUTES} attributes on a tag: the rest left out on {crowded} tags")
    return b"".join(kept), notes


def _end_of_attributes(body: bytes, start: int, end: int) -> int:
    """Where the last attribute ends that may stay."""
    position = start
    for _ in range(MAX_ATTRIBUTES):
        found = _ATTRIBUTE.match(body, position, end)
        if found is None:
            return end
        position = found.end()
    return position if _ATTRIBUTE.match(body, position, end) else end


def _end_of_raw(body: bytes, name: bytes, start: int) -> int:
    found = re.compile(rb"</" + name + rb"[\s/>]", re.IGNORECASE).search(body, start)
    return found.start() if found else len(body)
