"""What every bench does around its measuring: a folder to work in, words meanwhile, a result as tables or as JSON."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from whimbrel.cli import goals as printing

if TYPE_CHECKING:
    from whimbrel.bench.goals import Goal

Report = TypeVar("Report")


def say(words: str) -> None:
    click.echo(words, err=True)


@contextmanager
def hindrances_told() -> Iterator[None]:
    """What stands in the way of measuring ends the command with one line that says so."""
    from whimbrel.bench.machine import MissingTool

    try:
        yield
    except (MissingTool, OSError) as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def workplace(work: Path | None) -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with hindrances_told(), tempfile.TemporaryDirectory(prefix="whimbrel-bench-", dir=work) as folder:
        yield Path(folder)


def tell(
    report: Report, goals: "Sequence[Goal]", show: Callable[[Report], None], as_json: bool, **more: object
) -> None:
    """`more` is what the report works out of its fields; only JSON needs it said."""
    if as_json:
        printing.as_object(report, goals, **more)
    else:
        show(report)
        printing.show(goals)
