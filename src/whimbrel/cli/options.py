"""Flags that several verbs share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

BESIDE = "Other options"


class SectionedCommand(click.Command):
    """One of so many flags that its help says them by what they are for: `sections` has their names by title."""

    def __init__(self, *args: Any, sections: Mapping[str, tuple[str, ...]], **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        titles = {flag: title for title, flags in self.sections.items() for flag in flags}
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (*self.sections, BESIDE)}
        flags = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        order = {flag: place for place, flag in enumerate(titles)}
        for option in sorted(flags, key=lambda one: order.get(one.opts[0], -1)):
            if (row := option.get_help_record(ctx)) is not None:
                rows[titles.get(option.opts[0], BESIDE)].append(row)
        width = max(len(flag) for told in rows.values() for flag, _ in told)  # the same in all sections
        for title, told in rows.items():
            with formatter.section(title):
                formatter.write_dl([(flag.ljust(width), words) for flag, words in told])


def repo(function: Function) -> Function:
    return click.option(
        "--repo",
        type=click.Path(path_type=Path, readable=False),
        metavar="DIR",
        help="The folder that holds the copy.  [default: whimbrel-data]",
    )(function)


def as_json(function: Function) -> Function:
    return click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for scripts.")(function)


def work(function: Function) -> Function:
    """For benches, which leave nothing behind."""
    return click.option(
        "--work",
        "--repo",
        "work",
        type=click.Path(path_type=Path, file_okay=False, exists=True, writable=True),
        metavar="DIR",
        help="Where to write, on a real disk.  [default: the folder for temporary files]",
    )(function)


def site(function: Function) -> Function:
    """For benches that crawl one."""
    return click.option(
        "--site",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="A folder of HTML pages with an index.html.  [default: the API of openjdk-17-doc]",
    )(function)


def credentials(function: Function) -> Function:
    """For the one site that a command is about, or for the one that the flag names."""
    for option in (
        click.option("--proxy", metavar="URL", help="Fetch through this proxy; with a password: env:NAME, file:PATH."),
        click.option("--cookies", multiple=True, metavar="REF", help="Cookies of a login: env:NAME, file:cookies.txt."),
        click.option(
            "--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="A header to send to the site."
        ),
        click.option("--auth", multiple=True, metavar="REF", help="User and password: env:NAME, USER:env:NAME."),
    ):
        function = option(function)
    return function


def config(function: Function) -> Function:
    return click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="A file of settings (TOML).  [default: whimbrel.toml, if there is one]",
    )(function)
