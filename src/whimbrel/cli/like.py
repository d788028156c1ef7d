"""Pages of the kind that examples show, and why a page is of it, as `pages --like` and `pages --why` say it."""

import json
import sys
from collections.abc import Sequence

import click
import msgspec

from whimbrel.cli import exits
from whimbrel.cli.folder import many
from whimbrel.cli.lines import say
from whimbrel.cli.page import as_object
from whimbrel.cli.words import harmless
from whimbrel.exchange.kinds import Likes, Reason, like, why, why_like
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Selection, Site
from whimbrel.urls.normal import host


def show_like(reader: Reader, examples: Sequence[Url], selection: Selection, as_json: bool) -> int:
    likes = like(reader, examples, selection)
    if isinstance(likes, Verdict):
        raise click.ClickException(harmless(likes.reason))
    shown = likes.found[: selection.limit]
    if as_json:
        out = sys.stdout.buffer
        for one in shown:
            said = {**as_object(one.listed), "similarity": round(one.judged.similarity, 4)}
            out.write(msgspec.json.encode(said) + b"\n")
        out.flush()
    else:
        say(f"{'alike':>6}  url", dim=True)
        for one in shown:
            say(f"{one.judged.similarity:6.2f}  {harmless(one.listed.url)}")
            if one.listed.title:
                say(f"{'':6}  {harmless(one.listed.title)}")
    _close(likes)
    return exits.OK


def _close(likes: Likes) -> None:
    share = likes.by_tree / likes.pages if likes.pages else 0.0
    say(
        f"{many(len(likes.found), 'page')} of {likes.pages} built alike ({likes.threshold:.2f} or more of 1); "
        f"{share:.1%} decided by comparing element by element", dim=True, err=True,
    )  # fmt: skip
    if likes.one_template:
        say(f"note: {likes.site.reason}", err=True)


def show_why(reader: Reader, url: Url, examples: Sequence[Url], selection: Selection, as_json: bool) -> int:
    """Against the examples, or without any against the kinds of the page's own site."""
    if examples:
        reason = why_like(reader, url, examples, selection)
    else:
        own = Selection(site=selection.site or Site(host(url)), match=selection.match)
        reason = why(reader, url, own)
    if isinstance(reason, Verdict):
        raise click.ClickException(harmless(reason.reason))
    click.echo(json.dumps(msgspec.to_builtins(reason)) if as_json else _words(reason))
    return exits.OK


def _words(reason: Reason) -> str:
    nearest = ", ".join(map(harmless, reason.nearest)) or "none"
    told = (
        "by comparing element by element: outlines did not decide"
        if reason.by_tree
        else "by the outline of its elements"
    )
    return "\n".join(
        (
            f"      page  {harmless(reason.url)}",
            f"   nearest  {nearest}",
            f"similarity  {reason.similarity:.3f}",
            f" threshold  {reason.threshold:.3f}",
            f"     alike  {'yes' if reason.alike else 'no'}, {told}",
        )
    )
