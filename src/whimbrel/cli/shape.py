"""`whimbrel pages --shape`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.repository.port.reader import Reader
    from whimbrel.repository.views import Selection

SHOWN = 20


def show_shapes(reader: "Reader", file: Path, selection: "Selection", limit: int | None, as_json: bool) -> int:
    """The kept pictures by how like their shape is to that in a file, the most alike first."""
    from whimbrel.exchange.extras import need

    need("search", "numpy", "PIL")
    from whimbrel.documents.pictures import PictureReader
    from whimbrel.flows.picturing import alike, looks_of
    from whimbrel.records.verdict import Verdict

    try:
        body = file.read_bytes()
    except OSError as error:
        raise click.UsageError(f"--shape {file} cannot be read: {error.strerror}") from error
    with PictureReader() as pictures:
        wanted = looks_of(body, pictures)
        if isinstance(wanted, Verdict):
            raise click.UsageError(f"--shape {file} shows no shape: {wanted.reason}.")
        found = sorted(alike(reader, wanted, selection, pictures), key=lambda one: (one.apart, one.url))
    for one in found[: SHOWN if limit is None else limit]:
        if as_json:
            click.echo(json.dumps(one._asdict()))
        else:
            same = "  the same picture" if one.same else ""
            click.echo(f"{one.apart:6.2f}  {harmless(one.url)}  {one.width} × {one.height}{same}")
            if one.shown_on is not None:
                click.echo(f"        on {harmless(one.shown_on)}")
    if not found and not as_json:
        click.echo("no kept picture shows a shape; `whimbrel crawl --assets` keeps the pictures of pages")
    return exits.OK
