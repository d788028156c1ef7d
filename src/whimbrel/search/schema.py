"""The fields of the word index, and how a page becomes one of its documents."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Any
from urllib.parse import unquote

import tantivy
from msgspec import Struct
from xxhash import xxh3_64_intdigest

from whimbrel.parse.words import Analysers, fold, split
from whimbrel.search.book import BookRow

"""Fields that hold words. `body` holds them all, so that one list of pages per word says what matches."""

_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TOGETHER = re.compile(r"[A-Za-z0-9]+")
_BREAK = re.compile(r"[\s(\[|:](?:(?<=\s)\s*(?:[-–—|·•»:]+\s+|[(\[|]\s*)|(?<=[(\[|])\s*|(?<=:)(?:\s+|:))")
"""Signs between spaces, brackets, colons. It begins with what may be a break's first character, which `re` looks for
several times as fast as for one of several patterns."""

_DIGEST_BITS = (1 << 40) - 1
MOST_ADDRESS_CHARACTERS = 500
MOST_TITLE_CHARACTERS = 1_000


def schema() -> Any:
    build = tantivy.SchemaBuilder()
    build.add_integer_field("key", indexed=True, fast=True)
    build.add_integer_field("at", indexed=True, fast=True)
    for name in ("site", "type", "lang"):
        build.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("host", "has"):
        build.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("title", "body"):
        build.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    for name in ("headings", "anchors", "address"):
        build.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in ("title_is", "title_part_is", "anchor_is"):
        build.add_unsigned_field(name, indexed=True)
    return build.build()


_SCHEMA = schema()


class Material(Struct, frozen=True):
    """What a page is indexed by, beside its row. `body` are the tokens of its text; `has` are the kinds of things
    that it describes for machines."""

    body: str
    headings: str
    anchors: list[str]
    has: tuple[str, ...] = ()


def document(row: BookRow, material: Material, analysers: Analysers) -> Any:
    analyser = analysers.of(row.language)
    title = row.title[:MOST_TITLE_CHARACTERS]
    path = address_of(row.url)
    called = [_said(text) for text in material.anchors]
    titled = split(title)
    title_tokens = analyser.joined(titled + parts_of_words(title))
    anchor_tokens = analyser.joined([word for words, _ in called for word in words])
    address_tokens = analyser.joined(split(path) + parts_of_words(path))
    fields = {
        "key": row.key,
        "at": int(row.modified_at),
        "site": row.site,
        "type": row.type,
        "lang": row.language,
        "host": hosts(row.site),
        "has": list(material.has),
        "title": title_tokens,
        "headings": analyser.tokens(material.headings),
        "anchors": anchor_tokens,
        "address": address_tokens,
        # Values of one field stand apart: no phrase reaches from one into the next.
        "body": [title_tokens, material.body, anchor_tokens, address_tokens],
        "title_is": [digest_of(titled)] if titled else [],
        "title_part_is": list({digest_of(words) for part in parts_of(title) if (words := split(part))}),
        "anchor_is": list({digest for words, digest in called if words}),
    }
    return tantivy.Document.from_dict(fields, _SCHEMA)


@lru_cache(1 << 10)
def _said(text: str) -> tuple[list[str], int]:
    """The words of an anchor and their digest. Menus say the same on every page."""
    words = split(text)
    return words, digest_of(words)


def digest_of(words: Iterable[str]) -> int:
    """One number for a whole title, anchor or query: equal where they say the same words in the same order. Among ten
    million, one query in a hundred thousand meets one that says something else; more bits would make the index
    larger."""
    said = " ".join(words)
    if not said.isascii():
        said = " ".join(map(fold, said.split(" ")))
    return xxh3_64_intdigest(said.encode("utf-8", "replace")) & _DIGEST_BITS


def parts_of(title: str) -> list[str]:
    """What people call a page by its title without the site's name, which stands at either end; and `HashMap` also as
    hash map."""
    breaks = list(_BREAK.finditer(title))
    parts = [title[: breaks[0].start()], title[: breaks[-1].start()], title[breaks[0].end() :]] if breaks else []
    apart = [" ".join(_CAMEL.findall(part)) for part in (parts or [title])[:1] if part.isalnum() and not part.islower()]
    return parts + apart


@lru_cache(1024)
def hosts(site: str) -> list[str]:
    """The names under which `site:` finds a page: with its port, without, and every domain above."""
    host = site.partition(":")[0] if not site.startswith("[") else site.rpartition("]")[0] + "]"
    names = [site, host]
    if not host.replace(".", "").isdigit() and not host.startswith("["):
        labels = host.split(".")
        names += [".".join(labels[at:]) for at in range(1, len(labels))]
    return list(dict.fromkeys(names))


def address_words(url: str) -> str:
    """The words of a URL's path and query, whole and in parts: `ArrayList` is also array and list."""
    path = address_of(url)
    return " ".join((path, *parts_of_words(path)))


def address_of(url: str) -> str:
    return unquote(url[url.index("/", 8) :])[:MOST_ADDRESS_CHARACTERS]


def parts_of_words(text: str) -> list[str]:
    """The parts of words that are written together, in lower case."""
    return [] if text.islower() else list(chain.from_iterable(map(_parts_of_word, _TOGETHER.findall(text))))


@lru_cache(1 << 14)
def _parts_of_word(word: str) -> list[str]:
    if word.islower() or word.isdigit():
        return []
    parts = _CAMEL.findall(word)
    return [part.lower() for part in parts] if len(parts) > 1 else []
