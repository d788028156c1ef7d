"""The verbs. Each lives in a module of its own, imported when it is called, so that none pays for another."""

import errno
import importlib
import inspect
import os
import sys
from collections.abc import Sequence

import click

from whimbrel import __version__
from whimbrel.cli import exits

GROUPS = {
    "Copy sites, search and read them": {
        "try": ("whimbrel.cli.trial", "See all of it on a small site that comes along."),
        "crawl": ("whimbrel.cli.crawl", "Copy sites into a folder, or go on with one."),
        "serve": ("whimbrel.cli.serve", "Search, read and crawl in a browser."),
        "search": ("whimbrel.cli.search", "Search the kept pages."),
        "mcp": ("whimbrel.cli.mcp", "Let an agent search and read the kept pages."),
    },
    "Keep the copy fresh, see what changed": {
        "refresh": ("whimbrel.cli.refresh", "Visit pages again and fetch what changed."),
        "watch": ("whimbrel.cli.watch", "Stay: refresh what is due, index it, tell of changes."),
        "changes": ("whimbrel.cli.changes", "Tell what changed: new, changed, moved and gone pages."),
        "site": ("whimbrel.cli.site", "Settings of one site: pauses, hours, filters, what is told."),
        "silence": ("whimbrel.cli.silence", "Do not be told of a change again, or be told again."),
        "diff": ("whimbrel.cli.diff", "Show what differs between two versions of a page."),
    },
    "Take it elsewhere": {
        "export": ("whimbrel.cli.export", "Write the pages out for other tools."),
        "import": ("whimbrel.cli.import_", "Take in archives and tables of pages."),
        "sitemap": ("whimbrel.cli.sitemap", "Write a sitemap of what is known of a site."),
    },
    "Look into a folder": {
        "status": ("whimbrel.cli.status", "Count what a folder holds, and what was left out."),
        "pages": ("whimbrel.cli.pages", "List URLs and what became of them."),
        "links": ("whimbrel.cli.links", "Tell which links are dead or moved, and where they stand."),
        "twins": ("whimbrel.cli.twins", "Show pages that say the same, and rules learned for URLs."),
        "templates": ("whimbrel.cli.templates", "Show the kinds of pages a site has."),
    },
    "Look after a folder": {
        "prune": ("whimbrel.cli.prune", "Thin old versions out."),
        "forget": ("whimbrel.cli.forget", "Erase a URL or a site, for good."),
        "upgrade": ("whimbrel.cli.upgrade", "Bring a folder to this release's format."),
        "index": ("whimbrel.cli.index", "Bring the search index up to date, or build it anew."),
    },
    "Crawl from other machines": {
        "places": ("whimbrel.cli.places", "Have migrants work at a site, on a machine of its own."),
        "place": ("whimbrel.cli.place", "Let migrants of somebody you trust work on this machine."),
        "migrants": ("whimbrel.cli.migrants", "Show the crawling processes, and tell them what to do."),
    },
    "For the curious and for scripts": {
        "topic": ("whimbrel.cli.topic", "Show a topic's keywords, and what each keeps of what is here."),
        "shapes": ("whimbrel.cli.shapes", "Show what pictures of a class look like, for crawls and searches."),
        "wishes": ("whimbrel.cli.wishes", "Show what readers asked for that was not here, and fetch it."),
        "terms": ("whimbrel.cli.terms", "Show a word as the search index sees it."),
        "order": ("whimbrel.cli.order", "Order pages by how like the others they are for a query."),
        "check": ("whimbrel.cli.check", "Ask single rules: JSON lines in, JSON lines out."),
        "bench": ("whimbrel.cli.bench", "Measure against other programs on this machine."),
    },
}
"""By what people come for; what few need stands behind."""

VERBS = {name: verb for group in GROUPS.values() for name, verb in group.items()}


_ELSEWHERE = "Restore it from a copy, or choose another folder with --repo."
_NO_ROOM = "Everything committed before is safe: free some space, then run the same command again."
_NOT_OURS = "Make it writable for you, or choose another folder with --repo."
_MENDED = {
    errno.ENOSPC: _NO_ROOM, errno.EDQUOT: _NO_ROOM,
    errno.EROFS: _NOT_OURS, errno.EACCES: _NOT_OURS, errno.EPERM: _NOT_OURS,
}  # fmt: skip
"""What is to be done where nothing is damaged."""
_SQLITE_FAULTS = {"SQLITE_FULL": errno.ENOSPC, "SQLITE_READONLY": errno.EROFS, "SQLITE_CANTOPEN": errno.EACCES}


class Verbs(click.Group):
    """A group that imports a verb only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        command: click.Command = importlib.import_module(VERBS[name][0]).command
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our output has gone, which is no fault of ours; what is left in buffers goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return exits.OK

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, VERBS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), words) for name, (_, words) in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, 1)
            hint = f" Did you mean `{near[0]}`?" if near else f" The verbs are: {', '.join(VERBS)}."
            raise click.UsageError(f"there is no verb `{args[0]}`.{hint}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and set(rest) & set(ctx.help_option_names):
            explain(command, ctx)
        return name, command, rest


def explain(command: click.Command, parent: click.Context) -> None:
    """Adds the words that its help uses, explained, to the end of a verb's help."""
    from whimbrel.cli.glossary import words_of

    with click.Context(command, parent, command.name) as context:
        words = words_of(command.get_help(context))
    command.epilog = "\n\n".join(part for part in (inspect.cleandoc(command.epilog or ""), words) if part)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="whimbrel %(version)s")
def whimbrel() -> None:
    """Keeps a fresh, duplicate-free, searchable copy of the web sites you care about.

    \b
    Examples:
      whimbrel try                                            see how it works
      whimbrel crawl https://docs.example.org --limit 5000    copy a site
      whimbrel serve                                          search and read the copy
      whimbrel refresh                                        fetch what changed since
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a verb and turns what it raises into a message and an exit code."""
    from whimbrel.config import ConfigError
    from whimbrel.repository.contract import FolderBusy, NothingThere, RepositoryError

    try:
        answer = whimbrel.main(
            args=list(arguments) if arguments is not None else None, prog_name="whimbrel", standalone_mode=False
        )
        return answer if isinstance(answer, int) else exits.OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.exceptions.Abort:
        return exits.INTERRUPTED
    except ConfigError as error:
        return _complain(str(error), exits.USAGE)
    except FolderBusy as error:
        return _complain(str(error), exits.BUSY)
    except NothingThere as error:
        return _complain(str(error), exits.NOT_FOUND)
    except RepositoryError as error:
        return _complain(str(error), exits.STORAGE)
    except OSError as error:
        if error.filename is None:
            raise
        if isinstance(error, FileNotFoundError):
            return _complain(
                f"{error.filename} cannot be written or read: there is no such place. Make it first.", exits.STORAGE
            )
        return _complain(f"{error.filename} cannot be used: {error.strerror}. {mended(error)}", exits.STORAGE)
    except Exception as error:
        import sqlite3

        if not isinstance(error, sqlite3.Error):
            raise
        return _complain(f"the folder's database cannot be used: {error}. {mended(error)}", exits.STORAGE)


def mended(error: Exception) -> str:
    """What to do about a fault of the disk or of a database on it."""
    fault = _SQLITE_FAULTS.get(getattr(error, "sqlite_errorname", "")) or getattr(error, "errno", None)
    return _MENDED.get(fault or 0, _ELSEWHERE)


def _complain(message: str, code: int) -> int:
    click.echo(f"whimbrel: {message}", err=True)
    return code
