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

from whimbrel.search.book import Row
from whimbrel.search.words import Analysers, fold, split

WORDS = ("title", "headings", "anchors", "address", "body")
"""Fields that hold words. `body` holds them all, so that one list of pages per word says what matches."""

_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TOGETHER = re.compile(r"[A-Za-z0-9]+")
_BREAK = re.compile(r"\s+[-–—|·•»:]+\s+|\s*[(\[|]\s*|:\s+|::")
MOST_ADDRESS_CHARACTERS = 500
MOST_TITLE_CHARACTERS = 1_000


def schema() -> Any:
    build = tantivy.SchemaBuilder()
    build.add_integer_field("key", indexed=True, fast=True)
    build.add_integer_field("at", indexed=True, fast=True)
    for name in ("site", "type", "lang"):
        build.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    build.add_text_field("host", tokenizer_name="raw", index_option="basic")
    for name in ("title", "body"):
        build.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    for name in ("headings", "anchors", "address"):
        build.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in ("title_is", "title_part_is", "anchor_is"):
        build.add_unsigned_field(name, indexed=True)
    return build.build()


class Material(Struct, frozen=True):
    """What a page is indexed by, beside its row. `words` are those of its text, split."""

    words: list[str]
    headings: str
    anchors: list[str]


def document(row: Row, material: Material, analysers: Analysers) -> Any:
    analyser = analysers.of(row.language)
    title = row.title[:MOST_TITLE_CHARACTERS]
    called = [_said(text) for text in material.anchors]
    title_tokens = analyser.tokens(with_parts(title))
    anchor_tokens = analyser.joined([word for words, _ in called for word in words])
    address_tokens = analyser.tokens(address_words(row.url))
    made = tantivy.Document()
    made.add_integer("key", row.key)
    made.add_integer("at", int(row.modified_at))
    for name, value in (("site", row.site), ("type", row.type), ("lang", row.language)):
        made.add_text(name, value)
    for host in hosts(row.site):
        made.add_text("host", host)
    made.add_text("title", title_tokens)
    made.add_text("headings", analyser.tokens(material.headings))
    made.add_text("anchors", anchor_tokens)
    made.add_text("address", address_tokens)
    # Values of one field stand apart: no phrase reaches from one into the next.
    for tokens in (title_tokens, analyser.joined(material.words), anchor_tokens, address_tokens):
        made.add_text("body", tokens)
    parts = [_said(part) for part in parts_of(title)]
    for name, said in (("title_is", [_said(title)]), ("title_part_is", parts), ("anchor_is", called)):
        for seal in {seal for words, seal in said if words}:
            made.add_unsigned(name, seal)
    return made


@lru_cache(1 << 16)
def _said(text: str) -> tuple[list[str], int]:
    """The words of a title or an anchor and their seal. Menus say the same on every page."""
    words = split(text)
    return words, seal_of(words)


def seal_of(words: Iterable[str]) -> int:
    """One number for a whole title, anchor or query: equal where they say the same words in the same order."""
    said = " ".join(words)
    if not said.isascii():
        said = " ".join(map(fold, said.split(" ")))
    return xxh3_64_intdigest(said.encode("utf-8", "replace"))


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
    return with_parts(unquote(url[url.index("/", 8) :])[:MOST_ADDRESS_CHARACTERS])


def with_parts(text: str) -> str:
    """Words that are written together, and beside them their parts."""
    if text.islower():
        return text
    return " ".join((text, *chain.from_iterable(map(_parts_of_word, _TOGETHER.findall(text)))))


@lru_cache(1 << 14)
def _parts_of_word(word: str) -> list[str]:
    if word.islower() or word.isdigit():
        return []
    parts = _CAMEL.findall(word)
    return parts if len(parts) > 1 else []
