"""Lines for a person, in a terminal, a log or a pipe.

`rich` draws what needs drawing; a run that only says a few lines does not wait for it to load.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import Any

import click

LEAST_COLUMNS = 20
_WITHOUT_STYLES = ("dumb", "unknown")


def say(words: str, *, err: bool = False, hang: int = 0, **style: Any) -> None:
    """A line for a person: on a terminal folded between words, with what follows as far in as the line begins and
    `hang` more; elsewhere left whole, for whoever searches in it."""
    if (sys.stderr if err else sys.stdout).isatty():
        columns = shutil.get_terminal_size().columns
        words = "\n".join(folded(line, columns, hang) for line in words.split("\n"))
    click.secho(words, err=err, color=_coloured(), **style)


def _coloured() -> bool | None:
    """Never where the user wants no colours (no-color.org) or the terminal knows none; else as `click` thinks."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") in _WITHOUT_STYLES else None


def folded(words: str, columns: int, hang: int = 0) -> str:
    """Styles take no room. A word that is longer than a line, such as a URL, stays whole."""
    said = words.lstrip(" ")
    indent = len(words) - len(said)
    lines, used = [" " * indent], indent
    for place, word in enumerate(said.split(" ")):
        room = len(click.unstyle(word))
        if place and used + 1 + room > columns and used > indent:
            indent = len(words) - len(said) + hang
            lines.append(" " * indent + word)
            used = indent + room
        else:
            lines[-1] += f" {word}" if place else word
            used += room + (1 if place else 0)
    return "\n".join(line.rstrip(" ") for line in lines)


class Lines:
    """Colours are for terminals only. With `err` standard output is left to the program that reads it."""

    def __init__(self, err: bool = False) -> None:
        self.err = err

    @property
    def on_terminal(self) -> bool:
        return (sys.stderr if self.err else sys.stdout).isatty()

    def say(self, words: str, colour: str | None = None) -> None:
        say(words, err=self.err, fg=colour)

    def table(self, rows: Iterable[tuple[str, str]], *, dim: bool = False) -> None:
        """In two columns, the left one right-justified; `dim` where it only holds names."""
        told = list(rows)
        width = max((len(name) for name, _ in told), default=0)
        room = max(LEAST_COLUMNS, shutil.get_terminal_size().columns - width - 2)
        for name, words in told:
            for place, line in enumerate(
                textwrap.wrap(words, room, break_on_hyphens=False, break_long_words=False) or [""]
            ):
                click.secho(
                    f"{'' if place else name:>{width}}", err=self.err, nl=False, dim=dim or None, color=_coloured()
                )
                click.echo(f"  {line}" if line else "", err=self.err)
