"""A page as sites write them, for pairs that differ in one thing."""

from collections.abc import Sequence

from whimbrel.change.decide import decide
from whimbrel.change.noise import learn
from whimbrel.change.version import read_version
from whimbrel.records.change import Change

STORY = (
    "The whimbrel breeds across the far north and winters on coasts further south.",
    "It probes mud and wet sand for crabs and worms, and takes berries in late summer.",
    "Seven whistles in a row are how most people know it long before they see it.",
)


def article(inside: str = "", *, head: str = "", around: str = "", main: bool = True) -> str:
    """`inside` stands between the paragraphs of the story, `around` after it, outside the main part."""
    story = f"<h1>Whimbrels</h1><p>{STORY[0]}</p><p>{STORY[1]}</p>{inside}<p>{STORY[2]}</p>"
    part = f"<main>{story}</main>" if main else f"<div>{story}</div>"
    return f"<!doctype html><html><head><title>Whimbrels</title>{head}</head><body>{part}{around}</body></html>"


def compare(before: str, after: str, history: Sequence[str] = (), neighbours: Sequence[str] = ()) -> Change:
    old, new, *others = (
        read_version(body.encode(), "text/html; charset=utf-8") for body in (before, after, *history, *neighbours)
    )
    return decide(old, new, learn([*others[: len(history)], old], others[len(history) :]))
