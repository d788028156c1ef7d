"""`whimbrel shapes`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.records.picturing import PictureClass, PictureExample

EPILOG = f"""\b
Examples:
  whimbrel shapes cat cat1.png cat2.jpg
  whimbrel shapes
  whimbrel crawl https://zoo.example --only images --shows cat
  whimbrel pages --shape cat
  whimbrel search 'type:image shape:cat'
  whimbrel shapes cat --forget cat2.jpg

{exits.LIST}"""
FORGET = "--forget names a class, and the pictures to forget of it; without pictures the class goes."


@click.command(epilog=EPILOG)
@click.argument("name", required=False, metavar="[CLASS]", default="")
@click.argument("pictures", nargs=-1, metavar="[FILE|URL]...")
@click.option("--opened", is_flag=True, help="Learn from the pictures that readers opened most.")
@click.option("--forget", is_flag=True, help="Forget these pictures, or the class.")
@options.repo
@options.as_json
def command(name: str, pictures: tuple[str, ...], opened: bool, forget: bool, repo: Path | None, as_json: bool) -> int:
    """Show what pictures of a class look like; without a class, list what is known.

    A class has a name of one word, by which labels of pictures call it, and pictures that show it: files, or kept
    pictures by their URLs. Crawls and searches tell by them whether a picture has the shape that its label says.
    """
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        need("search", "numpy", "PIL")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error
    from whimbrel.cli.folder import folder_of
    from whimbrel.flows.picture_classes import ClassesDamaged, read_classes, with_examples, without, write_classes
    from whimbrel.shapes.classes import class_name

    folder = folder_of(repo)
    wanted = class_name(name)
    if name and not wanted:
        raise click.UsageError(f"{name!r} is no name of a class: one word, of letters, as labels of pictures say it.")
    if forget and not wanted:
        raise click.UsageError(FORGET)
    try:
        classes = read_classes(folder)
    except ClassesDamaged as error:
        raise click.ClickException(str(error)) from error
    if forget:
        if wanted not in [one.name for one in classes]:
            raise click.UsageError(f"there is no class {wanted!r} to forget.")
        classes = without(classes, wanted, pictures)
        write_classes(folder, classes)
    elif opened:
        for each, urls in _opened(folder, [wanted] if wanted else [one.name for one in classes]).items():
            classes = with_examples(classes, each, _learned(folder, urls))
        write_classes(folder, classes)
    elif pictures:
        classes = with_examples(classes, wanted, _learned(folder, pictures))
        write_classes(folder, classes)
    _say([one for one in classes if wanted in ("", one.name)], as_json)
    return exits.OK


def _learned(folder: Path, sources: "tuple[str, ...] | list[str]") -> "list[PictureExample]":
    """Each, or why it cannot be learned from: then nothing is learned."""
    from whimbrel.documents.pictures import PictureReader
    from whimbrel.flows.picture_classes import example_in
    from whimbrel.records.verdict import Verdict

    learned = []
    with PictureReader() as reader:
        for source, body in _bodies(folder, sources):
            example = example_in(body, source, reader)
            if isinstance(example, Verdict):
                raise click.UsageError(f"{harmless(source)} shows no shape: {example.reason}. Nothing was learned.")
            learned.append(example)
    return learned


def _bodies(folder: Path, sources: "tuple[str, ...] | list[str]") -> Iterator[tuple[str, bytes]]:
    for source in sources:
        if "://" in source:
            yield source, _kept(folder, source)
            continue
        try:
            yield Path(source).name, Path(source).read_bytes()
        except OSError as error:
            raise click.UsageError(f"{source} cannot be read: {error.strerror}. Nothing was learned.") from error


def _kept(folder: Path, text: str) -> bytes:
    from whimbrel.cli.folder import url_of
    from whimbrel.flows.copies import kept_copy
    from whimbrel.repository.contract import RepositoryError
    from whimbrel.repository.engines import open_reader

    url = url_of(text)
    try:
        with open_reader(folder) as reader:
            copy = kept_copy(reader.body(url))
    except RepositoryError:
        copy = None
    if copy is None:
        raise click.UsageError(f"{harmless(url)} is no kept picture of {folder}. Crawl it, or name a file.")
    return copy.body


def _opened(folder: Path, names: list[str]) -> dict[str, list[str]]:
    from whimbrel.api.picture_learning import opened_pictures

    found = opened_pictures(folder, names)
    if not found:
        click.echo("readers opened no picture of a class from a search for pictures, or not often enough", err=True)
    return {name: list(urls) for name, urls in found.items()}


def _say(classes: "list[PictureClass]", as_json: bool) -> None:
    for one in classes:
        sources = [example.source for example in one.examples]
        if as_json:
            click.echo(json.dumps({"class": one.name, "pictures": sources}))
        else:
            click.echo(f"{one.name:16} {number(len(sources))} shown: {harmless(', '.join(sources))}")
    if not classes and not as_json:
        click.echo("no class of pictures is known here; `whimbrel shapes cat cat.png` shows one")
