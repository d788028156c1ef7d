"""What went wrong, said so that a journal can be asked for it: `journalctl -p warning`.

A service whose standard error is the journal finds its device and inode in JOURNAL_STREAM (systemd.exec(5)); there a
line may begin with its priority (sd-daemon(3)). A person at a terminal sees the same words in yellow.
"""

import os

import click

from whimbrel.cli.lines import say

WARNING = 4
_STANDARD_ERROR = 2


def warn(words: str) -> None:
    if not is_journal():
        say(words, fg="yellow", err=True)
        return
    for line in words.splitlines():
        click.echo(f"<{WARNING}>{line}", err=True)


def is_journal() -> bool:
    """The variable is inherited by what a service starts, whose standard error may be another."""
    named = os.environ.get("JOURNAL_STREAM", "")
    if not named:
        return False
    try:
        here = os.fstat(_STANDARD_ERROR)
    except OSError:
        return False
    return named == f"{here.st_dev}:{here.st_ino}"
