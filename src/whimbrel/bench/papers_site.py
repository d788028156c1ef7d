"""A site of documents like those of the thesis (Table 7.2): blank ones, and copies of others in several disguises."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.bench import peers
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.refresh_runs import Runs
from whimbrel.bench.refresh_site import served
from whimbrel.flows.packing import unpack
from whimbrel.repository.engines import open_reader

DOCUMENTS, BLANK, COPIES = 70, 15, 29
"""As many as in Table 7.2; the copies are in turn the same bytes, the same words in other markup, and nearly the same
words."""
_WORDS = (
    *("whimbrel", "curlew", "moor", "coast", "spring", "flock", "bill", "crab", "mud", "wing", "night", "north"),
    *("marsh", "call", "nest", "chick", "egg", "shore", "dune", "heath", "gull", "tern", "knot", "plover", "heron"),
    *("stork", "crane", "otter", "seal", "reed", "sedge", "rush", "peat", "bog", "fen", "loch", "firth"),
)


class DocumentsFound(Struct, frozen=True):
    """What a crawl made of them: copies recognised, by equal bytes alone and by all means; and among those with words,
    which a search can show, blank ones and copies of others shown."""

    copies: int
    by_bytes: int
    recognised: int
    dead_shown: int
    redundant_shown: int


def documents(work: Path, seed: int) -> DocumentsFound:
    """Made, served on loopback, crawled as a user would, and looked at."""
    site = work / f"documents-{seed}"
    blank, copies = _write(site, Random(seed))
    with served(site) as server:
        folder = work / f"documents-{seed}-folder"
        Runs(work).crawl(server, folder)
        origin = f"{server.origin}/"
    twins = {twin["url"].removeprefix(origin): twin["reason"] for twin in _twins(folder, work)}
    with open_reader(folder) as reader:
        texts = {page.url.removeprefix(origin): unpack(page.reading).text for page in reader.pages() if page.reading}
    shown = {name for name, text in texts.items() if text.strip() and name not in twins}
    # Which of two equal pages is the copy is nobody's to say: of a group all but one are redundant.
    groups = Counter(copies.get(name, name) for name in shown)
    copied = {name: reason for name, reason in twins.items() if copies.get(name, name) in copies.values()}
    return DocumentsFound(
        len(copies), sum("bytes" in reason for reason in copied.values()), len(copied), len(shown & blank),
        sum(count - 1 for count in groups.values()),
    )  # fmt: skip


def _write(site: Path, dice: Random) -> tuple[set[str], dict[str, str]]:
    """Returns which documents are blank, and of which document each copy is one."""
    site.mkdir(parents=True)
    names = [f"d{number}.html" for number in range(DOCUMENTS)]
    dice.shuffle(names)
    blank, copied, own = names[:BLANK], names[BLANK : BLANK + COPIES], names[BLANK + COPIES :]
    texts = {name: [_sentence(dice) for _ in range(24)] for name in own}
    pages = {name: _page(name, text) for name, text in texts.items()} | dict.fromkeys(blank, b"")
    copies = {}
    for number, name in enumerate(copied):
        original = copies[name] = own[number % len(own)]
        text = list(texts[original])
        if number % 3 == 2:
            text[dice.randrange(len(text))] = _sentence(dice)
        pages[name] = pages[original] if number % 3 == 0 else _page(original, text, "article")
    for name, body in pages.items():
        (site / name).write_bytes(body)
    links = "".join(f"<li><a href={name}>{name}</a></li>" for name in sorted(names))
    (site / "index.html").write_text(f"<!doctype html><title>All documents</title><h1>Documents</h1><ul>{links}</ul>")
    return set(blank), copies


def _sentence(dice: Random) -> str:
    return " ".join(dice.choice(_WORDS) for _ in range(dice.randint(7, 13))).capitalize() + "."


def _page(name: str, text: list[str], element: str = "main") -> bytes:
    body = "".join(f"<p>{sentence}</p>" for sentence in text)
    return f"<!doctype html><title>Of {name}</title><{element}><h1>{text[0]}</h1>{body}</{element}>".encode()


def _twins(folder: Path, work: Path) -> list[dict[str, str]]:
    command = [sys.executable, "-P", "-m", "whimbrel", "twins", "--repo", str(folder), "--exact", "--near", "--json"]
    done = subprocess.run(command, cwd=work, env=peers.settings(), capture_output=True, text=True)
    if done.returncode:
        raise MissingTool(f"twins ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]
