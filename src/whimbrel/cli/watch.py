"""`whimbrel watch`."""

import shutil
import sys
from pathlib import Path

import click

from whimbrel.cli import exits, options
from whimbrel.cli.refresh import RefreshFlags, watch_for

EPILOG = f"""\b
Examples:
  whimbrel watch --repo my-folder
  whimbrel watch --repo my-folder --budget 600
  whimbrel watch --repo /srv/copies/docs --unit > /etc/systemd/system/whimbrel-docs.service

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option("--budget", type=click.IntRange(1), metavar="N", help="At most N visits an hour, where worth most.")
@click.option("--all", "everything", is_flag=True, help="Every page in every round, due or not.")
@click.option("--confirm", is_flag=True, help="Ask again at once for pages that are missing.")
@click.option("--webhook", metavar="URL", help="Post the changes there as JSON, each at least once.")
@click.option("--rounds", type=click.IntRange(1), metavar="N", help="End after so many rounds.")
@click.option("--unit", is_flag=True, help="Print a systemd unit that runs this, and end.")
@click.option("--delay", "delay_seconds", metavar="S", help="Seconds between requests to a host.")
@click.option("--migrants", metavar="N|LOW-HIGH|auto", help="How many crawling processes.")
@options.credentials
@options.repo
@options.config
@options.as_json
def command(
    budget: int | None, everything: bool, confirm: bool, webhook: str | None, rounds: int | None, unit: bool,
    auth: tuple[str, ...], headers: tuple[str, ...], cookies: tuple[str, ...], repo: Path | None, config: Path | None,
    as_json: bool, **given: object,
) -> int:  # fmt: skip
    """Stay, and keep a folder fresh: visit what is due, make it searchable, tell of changes.

    A round every five minutes, until Ctrl-C or SIGTERM. Who is told of what stands in [[notify]] tables of the
    settings: by mail, chat or push. A watch that is killed loses no notice: what nobody took is told by the next.
    """
    if unit:
        if repo is None:
            raise click.UsageError("--unit needs --repo: a unit does not know the folder that you are in.")
        click.echo(unit_for(repo.resolve(), config.resolve() if config is not None else None, _program(), budget))
        return exits.OK
    flags = RefreshFlags(everything, budget, confirm, webhook, auth, headers, cookies, repo, config, as_json, given)
    return watch_for(flags, rounds)


def _program() -> list[str]:
    """What starts this Whimbrel: the launcher of a checkout, the command that pip made, else Python."""
    from whimbrel.exchange.extras import CHECKOUT

    if (CHECKOUT / "whimbrel").is_file():
        return [str(CHECKOUT / "whimbrel")]
    command = shutil.which("whimbrel")
    return [command] if command is not None else [sys.executable, "-m", "whimbrel"]


def unit_for(folder: Path, config: Path | None, program: list[str], budget: int | None) -> str:
    """Its settings are read from the folder's own place, where a whimbrel.toml may lie beside it."""
    words = [*program, "watch", "--repo", str(folder)]
    words += ["--config", str(config)] if config is not None else []
    words += ["--budget", str(budget)] if budget is not None else []
    return f"""[Unit]
Description=Whimbrel keeps {_written(str(folder))} fresh
Wants=network-online.target
After=network-online.target

[Service]
WorkingDirectory={_written(str(folder.parent))}
ExecStart={" ".join(_quoted(word) for word in words)}
Restart=on-failure
RestartSec=60
NoNewPrivileges=yes
PrivateTmp=yes

[Install]
WantedBy=multi-user.target"""


def _written(text: str) -> str:
    """systemd.unit(5), "specifiers": a percent sign is written twice."""
    return text.replace("%", "%%")


def _quoted(word: str) -> str:
    """systemd.service(5), "command lines"."""
    escaped = _written(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'
