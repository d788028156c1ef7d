"""Moments on the command line."""

import click

from whimbrel.flows.telling.moments import moment_of


def moment_named(text: str, now: float, option: str = "--since") -> float:
    """Unix seconds."""
    named = moment_of(text, now)
    if named is None:
        raise click.UsageError(f"{option} {text!r} names no moment. Write yesterday, 2026-03-01, '3 days' or 12h.")
    return named
