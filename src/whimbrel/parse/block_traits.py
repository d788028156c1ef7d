"""What can be told of a block from where it stands: one row of numbers for each, in the order of `TRAITS`.

Nothing here knows a site, a language or a word: lengths, shares of links, landmarks, places, how often the like comes
again, and what the names of the boxes around it are worth (`Worth`, learned with the model).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log1p

from msgspec import DecodeError, Struct
from msgspec.json import decode
from turbohtml import Document

from whimbrel.parse.blocks import (
    ARTICLE,
    ASIDE,
    DIALOG,
    FOOTER,
    FORM,
    HEADER,
    HEADING,
    HIDDEN,
    LEAST_WORDS,
    MAIN,
    NAV,
    Blocks,
    length_of,
    words_of,
)

TRAITS = (
    # of the names around it
    "nearest name", "worst name", "best name", "all names",
    # of its box
    "tag", "depth", "box length", "boxes beside", "like it", "length of like it", "share of like it",
    "nav", "header", "footer", "aside", "main", "article", "form", "dialog", "heading", "hidden",
    # of the part of the page around it: below three fifths, below a fifth, the smallest of four blocks
    "part share", "part links", "part block", "part marks",
    "section share", "section links", "section block",
    "group length", "group links", "group block",
    # of itself
    "length", "links", "marks", "digits", "ends", "again", "described",
    # of its place
    "before", "left", "place", "from title", "from heading",
    # of its neighbours
    "near 1", "near 4", "near 12", "links near 4",
    # of the page
    "page length", "page links", "page block", "page marks", "page blocks", "page main", "page article", "page kind",
)  # fmt: skip
NAME_TRAITS = 4
OF_HEAD = ("described", "page kind")
"""Of what the head says. Looking there takes a tenth of the time for a page, and the quick way does without."""

_TAGS = {"p": 1, "li": 2, "td": 3, "th": 3, "dd": 4, "dt": 5, "div": 6, "section": 6, "article": 6, "h1": 7, "h2": 8}
_TAGS |= {"h3": 9, "h4": 10, "h5": 10, "h6": 10, "pre": 11, "blockquote": 12, "button": 13, "figcaption": 14}
_FLAGS = (NAV, HEADER, FOOTER, ASIDE, MAIN, ARTICLE, FORM, DIALOG, HEADING, HIDDEN)
_DIGITS = re.compile(r"\d")
_MARKS = re.compile("[.,。，、]")
_WORDS = re.compile(r"\w+")
_NAME_PARTS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_SAID = re.compile(r'"(description|articleBody|text)"\s*:\s*"((?:[^"\\]|\\.){20,20000})"')
_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(\w+)"')
_KINDS = {"Product": 1, "ProductGroup": 1, "ItemList": 2, "CollectionPage": 2, "DiscussionForumPosting": 3, "QAPage": 3}
_KINDS |= {"Article": 4, "NewsArticle": 4, "BlogPosting": 4, "TechArticle": 4}
"""Kinds of pages among the types of schema.org."""

_UNNAMED = (0.0, 0.0, 0.0, 0.0)

Worth = Mapping[str, float]
"""Of a part of a class or id: above 0 where what stands in such boxes is mostly main text."""


class HeadSaid(Struct, frozen=True):
    """What the head and the data blocks of a page say of its content."""

    words: frozenset[str] = frozenset()
    kind: int = 0
    longest: str = ""
    """The longest of its texts. A description shorter than a paragraph is about the page, and none of its text."""


def said_by(document: Document) -> HeadSaid:
    """From `<meta name=description>` and JSON-LD. The words are a witness, the kind is the first that is known."""
    kind = 0
    texts: list[str] = []
    descriptions = [
        meta.attr("content") or ""
        for meta in document.iter_elements("meta")
        if meta.attr("name") == "description" or meta.attr("property") == "og:description"
    ]
    for script in document.iter_elements("script"):
        if script.attr("type") == "application/ld+json":
            text = script.text
            for name, said in _SAID.findall(text):
                (descriptions if name == "description" else texts).append(_unescaped(said))
            kind = kind or next((_KINDS[name] for name in _TYPE.findall(text) if name in _KINDS), 0)
    words = frozenset(_WORDS.findall(" ".join(descriptions + texts).casefold()))
    texts += [said for said in descriptions if words_of(said, length_of(said)) >= LEAST_WORDS]
    return HeadSaid(words, kind, max(texts, key=len, default=""))


def _unescaped(said: str) -> str:
    try:
        return str(decode(f'"{said}"', type=str, strict=True))
    except DecodeError:
        return said


@lru_cache(maxsize=8_192)
def name_parts(name: str) -> tuple[str, ...]:
    """`articleBody main-nav` is article, body, main, nav. Pages share the words of their names, if not the names."""
    return tuple([part.lower() for part in _NAME_PARTS.findall(name)])


def traits_of(blocks: Blocks, said: HeadSaid, worth: Worth) -> list[list[float]]:
    """A row for each block."""
    texts, boxes, linked = blocks.texts, blocks.boxes, blocks.linked
    count = len(texts)
    if not count:
        return []
    lengths = blocks.lengths
    marks = [text.count(".") + text.count(",") if text.isascii() else len(_MARKS.findall(text)) for text in texts]
    total = sum(lengths)
    main = sum([length for length, box in zip(lengths, boxes, strict=True) if blocks.marks[box] & MAIN])
    article = sum([length for length, box in zip(lengths, boxes, strict=True) if blocks.marks[box] & ARTICLE])
    page = [
        log1p(total), sum(linked) / total, total / count, sum(marks) / total, log1p(count),
        main / total, article / total, said.kind,
    ]  # fmt: skip
    ends, free_ends, link_ends = [0], [0], [0]
    for length, link in zip(lengths, linked, strict=True):
        ends.append(ends[-1] + length)
        free_ends.append(free_ends[-1] + length - link)
        link_ends.append(link_ends[-1] + link)
    title = next((ends[at] for at, box in enumerate(boxes) if blocks.tags[box] == "h1"), None)
    again = Counter(texts)
    of_boxes = _Boxes(blocks, lengths, marks).rows(names_of(blocks, worth))
    all_marks = blocks.marks
    rows = []
    heading = 0
    words = said.words
    for at in range(count):
        box, text, length, before = boxes[at], texts[at], lengths[at], ends[at]
        if all_marks[box] & HEADING:
            heading = before
        low1, high1, low4, high4, low12, high12 = at - 1, at + 2, at - 4, at + 5, at - 12, at + 13
        if low12 < 0 or high12 > count:
            low1, low4, low12 = max(low1, 0), max(low4, 0), max(low12, 0)
            high1, high4, high12 = min(high1, count), min(high4, count), min(high12, count)
        near = ends[high4] - ends[low4]
        described = -1.0
        if words and length > 30:
            own = text[:300].casefold().split()
            described = len(words.intersection(own)) / len(own)
        rows.append([
            *of_boxes[box],
            length, linked[at] / length, marks[at] / length,
            len(_DIGITS.findall(text)) / length if length < 60 else 0.0,
            1.0 if text[-1] in ".!?:。！？：" else 0.0, again[text], described,
            before, total - ends[at + 1], before / total,
            (before - title) / total if title is not None else -2.0, before - heading,
            (free_ends[high1] - free_ends[low1]) / (high1 - low1),
            (free_ends[high4] - free_ends[low4]) / (high4 - low4),
            (free_ends[high12] - free_ends[low12]) / (high12 - low12),
            (link_ends[high4] - link_ends[low4]) / near,
            *page,
        ])  # fmt: skip
    return rows


def names_of(blocks: Blocks, worth: Worth) -> list[tuple[float, float, float, float]]:
    """For each box with text the worth of the nearest name, the least and the greatest around it, and their sum."""
    known: dict[str, tuple[float, float] | None] = {"": None}
    rows: list[tuple[float, float, float, float]] = []
    for name, parent in zip(blocks.names, blocks.parents, strict=True):
        above = rows[parent] if parent >= 0 else _UNNAMED
        if name not in known:
            values = _worths(name, worth)
            known[name] = (min(values), max(values)) if values else None
        own = known[name]
        if own is None:
            rows.append(above)
        else:
            low, high = own
            _, least, most, total = above
            both = low + high
            rows.append((both, low if low < least else least, high if high > most else most, total + both))
    return rows


def _worths(name: str, worth: Worth) -> list[float]:
    """Of the parts of a name that are known (`name_parts`). Most words of names are one part, and need no search."""
    values = []
    for word in name.replace("-", " ").replace("_", " ").split():
        if word in worth:
            values.append(worth[word])
        elif not (word.islower() and word.isalpha() and word.isascii()):
            values += [worth[part] for part in name_parts(word) if part in worth]
    return values


@lru_cache(maxsize=1_024)
def _flags(mark: int) -> tuple[float, ...]:
    return tuple([1.0 if mark & flag else 0.0 for flag in _FLAGS])


class _Boxes:
    """What the boxes of a page hold, summed up from their blocks."""

    def __init__(self, blocks: Blocks, lengths: list[int], marks: list[int]) -> None:
        size = len(blocks.parents)
        self.blocks = blocks
        self.lengths, self.links, self.counts, self.marks = [0] * size, [0] * size, [0] * size, [0] * size
        self.beside = [0] * size
        in_boxes, links, counts, in_marks = self.lengths, self.links, self.counts, self.marks
        for box, length, link, mark in zip(blocks.boxes, lengths, blocks.linked, marks, strict=True):
            in_boxes[box] += length
            links[box] += link
            counts[box] += 1
            in_marks[box] += mark
        parents, beside = blocks.parents, self.beside
        for box in range(size - 1, 0, -1):
            parent = parents[box]
            beside[parent] += 1
            if counts[box]:
                in_boxes[parent] += in_boxes[box]
                links[parent] += links[box]
                counts[parent] += counts[box]
                in_marks[parent] += in_marks[box]
        self.total = self.lengths[0]
        self._place()
        self.like: dict[tuple[str, str, str], int] = {}
        self.like_lengths: dict[tuple[str, str, str], int] = {}
        self.kinds: dict[int, tuple[str, str, str]] = {}
        tags, names, like, like_lengths = blocks.tags, blocks.names, self.like, self.like_lengths
        for box, length in zip(blocks.boxes, lengths, strict=True):
            kind = self.kinds[box] = tags[box], names[box], names[parents[box]] if box else ""
            like[kind] = like.get(kind, 0) + 1
            like_lengths[kind] = like_lengths.get(kind, 0) + length

    def _place(self) -> None:
        parents, lengths, counts = self.blocks.parents, self.lengths, self.counts
        size = len(parents)
        self.depths, self.parts, self.sections, self.groups = [0] * size, [0] * size, [0] * size, [0] * size
        part, section = 0.6 * self.total, 0.2 * self.total
        depths, parts, sections, groups = self.depths, self.parts, self.sections, self.groups
        for box in range(1, size):
            # Nobody asks for one without text.
            if count := counts[box]:
                parent, length = parents[box], lengths[box]
                depths[box] = depths[parent] + 1
                parts[box] = parts[parent] or (box if length < part else 0)
                sections[box] = sections[parent] or (box if length < section else 0)
                groups[box] = box if count >= 4 else groups[parent]

    def rows(self, names: Sequence[tuple[float, ...]]) -> dict[int, list[float]]:
        """For each box that holds a block, with what is known of its names before."""
        lengths, links, counts, all_marks, total = self.lengths, self.links, self.counts, self.marks, self.total
        tags, parents, marks = self.blocks.tags, self.blocks.parents, self.blocks.marks
        likes, like_lengths, beside, depths = self.like, self.like_lengths, self.beside, self.depths
        parts, sections, groups = self.parts, self.sections, self.groups
        # What a part of the page is like is the same for all that stands in it.
        of_parts: dict[int, tuple[float, ...]] = {}
        of_sections: dict[int, tuple[float, ...]] = {}
        of_groups: dict[int, tuple[float, ...]] = {}
        found: dict[int, list[float]] = {}
        for box, kind in self.kinds.items():
            if (of_part := of_parts.get(part := parts[box])) is None:
                size = lengths[part] or 1
                of_part = size / total, links[part] / size, size / (counts[part] or 1), all_marks[part] / size
                of_parts[part] = of_part
            if (of_section := of_sections.get(section := sections[box])) is None:
                size = lengths[section] or 1
                of_section = size / total, links[section] / size, size / (counts[section] or 1)
                of_sections[section] = of_section
            if (of_group := of_groups.get(group := groups[box])) is None:
                size = lengths[group] or 1
                of_group = of_groups[group] = size, links[group] / size, size / (counts[group] or 1)
            like, like_length = likes[kind], like_lengths[kind]
            found[box] = [
                *names[box],
                _TAGS.get(tags[box], 0), depths[box], lengths[box], beside[parents[box]] if box else 0,
                like, like_length / like, like_length / total,
                *_flags(marks[box]), *of_part, *of_section, *of_group,
            ]  # fmt: skip
        return found
