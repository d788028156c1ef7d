"""What `crawl --seeds` reads: a URL a line, or the bookmarks that a browser exports."""

import sys
from pathlib import Path

import click


def seeds_in(file: str | None) -> list[str]:
    """`-` is standard input; "#" begins a comment where there is a URL a line."""
    if file is None:
        return []
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"--seeds {file} cannot be read: {error}") from error
    if text.lstrip("\ufeff\r\n\t ").startswith("<"):
        return _bookmarked(file, text)
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _bookmarked(file: str, text: str) -> list[str]:
    from whimbrel.readers.bookmarks import BadBookmarks, read_bookmarks

    found = read_bookmarks(text.encode())
    if isinstance(found, BadBookmarks):
        raise click.UsageError(f"--seeds {file} is neither a list of URLs nor bookmarks. {found.words}")
    return [bookmark.url for bookmark in found.bookmarks]
