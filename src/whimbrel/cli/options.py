"""Flags that several verbs share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])


def repo(function: Function) -> Function:
    return click.option(
        "--repo",
        type=click.Path(path_type=Path, readable=False),
        metavar="DIR",
        help="The folder.  [default: whimbrel-data]",
    )(function)


def as_json(function: Function) -> Function:
    return click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for scripts.")(function)


def config(function: Function) -> Function:
    return click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Settings in TOML.  [default: whimbrel.toml, if there is one]",
    )(function)
