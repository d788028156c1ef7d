"""`whimbrel check`."""

import sys
from pathlib import Path

import click

from whimbrel.cli import exits, options
from whimbrel.exchange.check import KINDS, answers


def _about(name: str) -> str:
    kind = KINDS[name]
    return f"  {name:8} takes {kind.takes}\n           gives {kind.gives}\n"


EPILOG = f"""\b
Kinds:
{"".join(_about(name) for name in KINDS)}
Examples:

\b
{chr(10).join(f"  echo '{kind.example}' {chr(92)}{chr(10)}    | whimbrel check {name}" for name, kind in KINDS.items())}

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@options.repo
@options.as_json
def command(kind: str, repo: Path | None, as_json: bool) -> int:
    """Ask single rules: JSON lines on standard input, one JSON line back for each, in order.

    A line that cannot be used is answered with {"error": ...}. No folder is needed; answers are always JSON.
    """
    asked = False
    for answer in answers(kind, sys.stdin.buffer):
        asked = True
        # A program that asks line by line waits for each answer; `echo` flushes.
        click.echo(answer)
    if not asked:
        raise click.UsageError(
            f"nothing to check on standard input. Try: echo '{KINDS[kind].example}' | whimbrel check {kind}"
        )
    return exits.OK
