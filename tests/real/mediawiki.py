"""A MediaWiki as Debian packages it, on SQLite, with articles from Python's manual."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import environ
from pathlib import Path
from xml.sax.saxutils import escape

from servers import free_port, php

PROGRAM = Path("/usr/share/mediawiki")
NEEDS = (
    "/usr/share/mediawiki/index.php",
    "/usr/bin/php",
    "/usr/share/doc/python3-doc/html/_sources/library/os.rst.txt",
)
_MANUAL = Path("/usr/share/doc/python3-doc/html/_sources/library")
_SETTINGS = """
$wgJobRunRate = 0;  // no page changes because another was read
$wgShowExceptionDetails = true;
"""


def articles(count: int) -> dict[str, str]:
    """Titles and texts: each article links to the next two, every fifth to one that nobody wrote."""
    sources = sorted(path for path in _MANUAL.glob("[a-z]*.rst.txt") if path.stat().st_size < 40_000)[:count]
    titles = [path.name.removesuffix(".rst.txt").capitalize().replace("_", " ") for path in sources]
    written = {}
    for number, (title, path) in enumerate(zip(titles, sources, strict=True)):
        nearby = [titles[(number + step) % len(titles)] for step in (1, 2)]
        words = path.read_text(encoding="utf-8")[:4000]
        links = " and ".join(f"[[{near}]]" for near in nearby) + (
            f" and [[Unwritten {number}]]" if number % 5 == 0 else ""
        )
        kind = f"[[Category:Letter {title[0]}]]"
        written[title] = f"See {links}.\n\n== Text ==\n<pre>\n{words}\n</pre>\n{kind}\n"
    written["Main Page"] = "Modules of Python.\n\n" + "\n".join(f"* [[{title}]]" for title in titles)
    return written


@dataclass(frozen=True)
class MediaWiki:
    url: str
    settings: Path

    def maintain(self, script: str, *arguments: str, text: str = "") -> None:
        command = ["php", str(PROGRAM / "maintenance" / script), "--conf", str(self.settings), *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, env=environ, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def edit(self, title: str, text: str) -> None:
        """Writes an article as somebody would who edits it."""
        self.maintain("edit.php", "--user", "Admin", "--summary", "edited", title, text=text)


@contextmanager
def mediawiki(folder: Path, pages: int = 40) -> Iterator[MediaWiki]:
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    install = ["--dbtype", "sqlite", "--dbpath", str(folder / "db"), "--dbname", "wiki", "--confpath", str(folder)]
    where = [
        "--server",
        f"http://127.0.0.1:{port}",
        "--scriptpath",
        "",
        "--pass",
        "Kept-Pages-8",
        "Python Wiki",
        "Admin",
    ]
    command = ["php", str(PROGRAM / "maintenance/install.php"), *install, *where]
    subprocess.run(command, capture_output=True, check=True)
    settings = folder / "LocalSettings.php"
    settings.write_text(settings.read_text(encoding="utf-8") + _SETTINGS, encoding="utf-8")
    with php(PROGRAM, port, folder / "php.log", {"MW_CONFIG_FILE": str(settings)}) as url:
        wiki = MediaWiki(url, settings)
        written = articles(pages)
        wiki.maintain("importDump.php", "--quiet", text=_dump(written))
        wiki.edit("Main Page", written["Main Page"])  # what the installation wrote there is newer than the dump
        wiki.maintain("rebuildrecentchanges.php")
        wiki.maintain("runJobs.php")
        yield wiki


def _dump(written: dict[str, str]) -> str:
    pages = "".join(
        f"<page><title>{escape(title)}</title><ns>0</ns><revision>"
        f"<timestamp>2026-01-01T00:00:0{number % 10}Z</timestamp>"
        f"<contributor><username>Admin</username><id>1</id></contributor><model>wikitext</model>"
        f"<format>text/x-wiki</format><text xml:space='preserve'>{escape(text)}</text></revision></page>"
        for number, (title, text) in enumerate(written.items())
    )
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">{pages}</mediawiki>'
    )
