"""Telling people of changes, for `watch` and `refresh`: by `apprise`, which knows mail, chats and push."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli.journal import warn
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from apprise import Apprise

    from whimbrel.config import Settings
    from whimbrel.flows.telling.digest import NoticeText
    from whimbrel.flows.telling.notices import NoticeWanted
    from whimbrel.flows.telling.webhook import NotTaken, Taken

LONGEST_SECONDS = 60.0
"""That a receiver may take; it is tried again later."""


def wanted_by(settings: "Settings", folder: Path) -> "list[NoticeWanted]":
    """Who is to be told. What cannot work is said before anything is fetched; whoever is new is told from now on."""
    if not settings.notify:
        return []
    from whimbrel.api.notifying import notices_for
    from whimbrel.exchange.extras import MissingExtra, need
    from whimbrel.flows.telling.notices import Notices

    try:
        need("notify")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error
    warnings: list[str] = []
    wanted = notices_for(settings, time.time(), warnings)
    for number, one in enumerate(wanted, 1):
        _apprise(one.receiver, f"[[notify]] {number}")
        Notices(folder, one).begin(time.time())
    for warning in warnings:
        warn(warning)
    return wanted


def tell(folder: Path, wanted: "Sequence[NoticeWanted]", settings: "Settings") -> int:
    """Tells what is new to each of them; how many could not be told. What one did not take waits for the next time."""
    if not wanted:
        return 0
    from whimbrel.api.notifying import site_choices
    from whimbrel.api.site_settings import with_said
    from whimbrel.flows.telling.notices import Notices

    failed = 0
    sites = site_choices(with_said(settings, folder))
    for number, one in enumerate(wanted, 1):
        here = time.localtime()
        named = f"[[notify]] {number} ({one.receiver.partition(':')[0]})"  # beyond the scheme there may be a secret
        send = partial(_send, one.receiver, f"[[notify]] {number}")
        delivered = Notices(folder, one, sites).deliver(send, time.time(), 60 * here.tm_hour + here.tm_min)
        if delivered.messages:
            changes = f"{delivered.changes} change{'' if delivered.changes == 1 else 's'}"
            click.echo(f"{named} was told of {changes}", err=True)
        if delivered.problem:
            failed += 1
            again = "The next refresh or round of a watch sends it again."
            warn(f"{named} did not take a notice: {harmless(delivered.problem)}. {again}")
    return failed


def _apprise(receiver: str, place: str) -> "Apprise":
    import logging

    import apprise

    heard = logging.getLogger("apprise")
    heard.propagate = False  # what went wrong is asked for, and said in our words
    heard.setLevel(logging.DEBUG)  # what a server answered is told on this level only
    asset = apprise.AppriseAsset(app_id="Whimbrel", app_desc="Whimbrel", secure_logging=True)
    known = apprise.Apprise(asset=asset)
    if not known.add(receiver):
        raise click.UsageError(
            f"{place}: `to` is no address that apprise knows. Mail is mailto://mail.example.org?to=ada@example.org; "
            "`apprise --details` lists all others."
        )
    return known


def _send(receiver: str, place: str, notice: "NoticeText") -> "Taken | NotTaken":
    import apprise

    from whimbrel.flows.telling.webhook import NotTaken, Taken

    said: list[str] = []
    known = _apprise(receiver, place)
    done = known.notify(
        body=notice.body,
        title=notice.title,
        body_format=apprise.NotifyFormat.TEXT,
        timeout=LONGEST_SECONDS,
        log_callback=lambda entry, service: said.append(str(entry.message)),
        log_level=10,
    )
    return Taken() if done else NotTaken(_reason(said, receiver))


def _reason(said: Sequence[str], receiver: str) -> str:
    """What the server answered, else the last that was said; without where to: that may hold a secret."""
    answered = [words.partition("xception:")[2].strip() for words in said if "xception:" in words]
    last = (answered or said or ["no answer, or a refusal"])[-1]
    return last.replace(receiver, "…").rstrip(".")[:300]
