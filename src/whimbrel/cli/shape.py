"""`whimbrel pages --shape`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.documents.pictures import PictureReader
    from whimbrel.repository.port.reader import Reader
    from whimbrel.repository.views import Selection
    from whimbrel.shapes.shape import PictureShape

SHOWN = 20


def show_shapes(
    reader: "Reader", folder: Path, wanted: str, selection: "Selection", limit: int | None, as_json: bool
) -> int:
    """The kept pictures by how like their shape is to that in a file, or to those of a class that the folder knows, the
    most alike first."""
    from whimbrel.exchange.extras import need

    need("search", "numpy", "PIL")
    from whimbrel.documents.pictures import PictureReader
    from whimbrel.flows.picturing import alike

    with PictureReader() as pictures:
        shapes, hash = _of_class(folder, wanted) or _in_file(Path(wanted), folder, pictures)
        found = sorted(alike(reader, shapes, hash, selection, pictures), key=lambda one: (one.apart, one.url))
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


def _of_class(folder: Path, name: str) -> "tuple[list[PictureShape], int | None] | None":
    """The shapes of a class; a file of that name comes first."""
    from whimbrel.flows.picture_classes import read_classes
    from whimbrel.shapes.classes import classes_of

    shapes = classes_of(read_classes(folder)).examples.get(name.lower()) if not Path(name).exists() else None
    return (shapes, None) if shapes else None


def _in_file(file: Path, folder: Path, pictures: "PictureReader") -> "tuple[list[PictureShape], int | None]":
    from whimbrel.flows.picturing import looks_of
    from whimbrel.records.verdict import Verdict

    try:
        body = file.read_bytes()
    except OSError as error:
        raise click.UsageError(
            f"--shape {file} cannot be read: {error.strerror}. It is no class of {folder} either: "
            "`whimbrel shapes` lists those."
        ) from error
    looks = looks_of(body, pictures)
    if isinstance(looks, Verdict):
        raise click.UsageError(f"--shape {file} shows no shape: {looks.reason}.")
    return [looks.shape], looks.hash
