"""All that is known of one URL, as `whimbrel pages URL` shows it."""

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits
from whimbrel.cli.folder import moment
from whimbrel.cli.words import harmless, number, size
from whimbrel.exchange.export import NOTHING_READ, iso
from whimbrel.flows.copies import DecodedCopy, decoded
from whimbrel.flows.packing import unpack
from whimbrel.parse import reading
from whimbrel.parse.language import language_of
from whimbrel.places.home.said import whose_word
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.repository.contract import NothingThere
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Detail, ListedUrl, Selection, Site, Stand, Version
from whimbrel.urls.normal import host, origin
from whimbrel.urls.normal import key as key_of

if TYPE_CHECKING:
    from rich.table import Table

SHOWN_TEXT = 600
SHOWN_LIST = 20
NEAR_SEARCHED = 20_000

Stands = dict[int, Stand]
Words = dict[int, str]
"""Whose word a version is, by its number: a place's, or nobody's where a migrant of home's own machine saw it."""


def as_object(listed: ListedUrl) -> dict[str, object]:
    return {
        "url": listed.url,
        "outcome": listed.outcome,
        "rule": listed.rule,
        "reason": listed.reason,
        "status": listed.status,
        "title": listed.title,
        "type": listed.mime,
        "size": listed.size,
        "depth": listed.depth,
        "fetched_at": iso(listed.visited_at) if listed.visited_at is not None else None,
        "asset": listed.asset,
        "occurrences": listed.occurrences,
        "duplicate_of": listed.duplicate_of,
        "private": listed.private,
    }


def show(reader: Reader, url: Url, as_json: bool) -> int:
    try:
        detail = reader.detail(url)
    except NothingThere as missing:
        raise NothingThere(f"{missing}.{_near(reader, url)}") from missing
    copy, stands = _copy(reader, detail), reader.stands(url)
    beside = reader.location.beside
    words = {one.number: whose_word(beside, key_of(url), one.at) for one in detail.versions}
    if as_json:
        click.echo(json.dumps(_as_object(detail, copy, stands, words)))
        return exits.OK
    from rich.console import Console

    Console(highlight=False).print(_table(detail, copy, stands, words))
    return exits.OK


def _near(reader: Reader, url: Url) -> str:
    """The nearest known spellings on the same host, where there are not too many to look through."""
    start = origin(url)
    known = [one.url for one in reader.urls(Selection(site=Site(host(url)), limit=NEAR_SEARCHED))]
    near = get_close_matches(url[len(start) :], {one[len(origin(one)) :]: None for one in known}, 3, 0.7)
    if not near:
        return " `whimbrel pages --match RE` finds what is."
    return f" Near to it: {', '.join(harmless(start + path) for path in near)}"


def _copy(reader: Reader, detail: Detail) -> DecodedCopy | None:
    if not detail.versions:
        return None
    copy = decoded(reader.body(detail.listed.url, detail.versions[-1]))
    return None if isinstance(copy, Failure) else copy


def _main_text(detail: Detail, copy: DecodedCopy | None) -> str:
    if copy is None or not detail.reading:
        return ""
    return reading.main_text(copy.body, copy.content_type or detail.listed.mime)


def _as_object(detail: Detail, copy: DecodedCopy | None, stands: Stands, words: Words) -> dict[str, object]:
    read = unpack(detail.reading) if detail.reading else NOTHING_READ
    declared = detail.versions[-1].language if detail.versions else ""
    return {
        **as_object(detail.listed),
        "tries": detail.listed.tries,
        "found_at": iso(detail.listed.found_at),
        "due_at": iso(detail.due_at) if detail.due_at is not None else None,
        "target": detail.target,
        "via": list(detail.via),
        "twins": list(detail.twins),
        "versions": [
            _version(version, stands.get(version.number), words[version.number]) for version in detail.versions
        ],
        "headers": copy.headers if copy is not None else {},
        "language": language_of(read.text, declared),
        "text": read.text,
        "main_text": _main_text(detail, copy),
        "links": list(read.urls),
    }


def _version(version: Version, stand: Stand | None, place: str) -> dict[str, object]:
    return {
        "fetched_at": iso(version.at),
        "status": version.status,
        "digest": f"sha256:{version.digest.hex()}",
        "size": version.size,
        "received": version.received,
        "charset": version.charset,
        "canonical": version.canonical,
        "etag": version.etag,
        "last_modified": version.last_modified,
        "cut": list(version.cut),
        **({} if stand is None else {"file": stand.file, "offset": stand.offset, "length": stand.length}),
        "private": version.private,
        "place": place,
    }


def _table(detail: Detail, copy: DecodedCopy | None, stands: Stands, words: Words) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", justify="right", no_wrap=True)
    table.add_column(overflow="fold")

    def row(name: str, value: str) -> None:
        if value:
            table.add_row(name, Text(harmless(value)))

    listed = detail.listed
    said = _as_object(detail, copy, stands, words)
    row("url", listed.url)
    row("outcome", ": ".join(part for part in (listed.outcome, listed.rule, listed.reason) if part))
    row("leads to", detail.target or "")
    row("twin of", listed.duplicate_of or "")
    row("title", listed.title)
    row("status", str(listed.status or ""))
    row("type", ", ".join(part for part in (listed.mime, str(said["language"])) if part))
    row("visited", f"{moment(listed.visited_at)} UTC, {number(listed.tries)} tries" if listed.visited_at else "never")
    row("due", "" if detail.due_at is None else f"{moment(detail.due_at)} UTC" if detail.due_at else "now")
    row("depth", f"{listed.depth}, met {number(listed.occurrences)} times")
    for name, values in (("via", detail.via), ("twins", detail.twins)):
        more = f"\n… {number(len(values) - SHOWN_LIST)} more" if len(values) > SHOWN_LIST else ""
        table.add_row(name, Text("\n".join(map(harmless, values[:SHOWN_LIST])) + more)) if values else None
    for version in detail.versions[-SHOWN_LIST:]:
        row("copy", f"{moment(version.at)} UTC, {size(version.size)}, sha256:{version.digest.hex()}")
        if stand := stands.get(version.number):
            row("", f"{stand.file} at {stand.offset}, {stand.length} bytes")
        if place := words[version.number]:
            row("", f"as place `{place}` says; `whimbrel places` tells how far it is believed")
        row("cut", "; ".join(version.cut))
    for name, value in (copy.headers if copy is not None else {}).items():
        row("header", f"{name}: {value}")
    row("text", _beginning(str(said["text"])))
    row("main text", _beginning(str(said["main_text"])))
    return table


def _beginning(text: str) -> str:
    return text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]} … ({number(len(text))} characters)"
