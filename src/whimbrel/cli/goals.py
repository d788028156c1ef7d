"""How every bench says what was to be reached: as an object with `goals`, or as lines below its tables."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli.lines import say

if TYPE_CHECKING:
    from whimbrel.bench.goals import Goal


def as_object(report: object, goals: "Sequence[Goal]", **more: object) -> None:
    """Prints the report as one line of JSON. `more` is what the report works out of its fields."""
    click.echo(json.dumps({**to_builtins(report, str_keys=True), **more, "goals": to_builtins(goals)}))


def show(goals: "Sequence[Goal]") -> None:
    from whimbrel.bench.goals import lines

    click.echo()
    for line in lines(goals):
        say(line, bold="NOT reached" in line)
    if not goals:
        click.echo("no goal is set for what was measured")
