"""A manual in two releases, made by script: for a machine on which no releases of a real one are at hand.

As between releases of a real manual, every page differs in bytes (version, date, mark of the build), some say something
else, some are new and some are gone. Figures from it show that everything works; they say little of real sites.
"""

import gzip
from pathlib import Path
from random import Random

import msgspec

from whimbrel.bench.refresh_site import Releases
from whimbrel.testing.site import WORDS

PAGES = 300
PAIRED = 60
CHANGED_SHARE = 0.4
GONE = 10
SEED = 4
_PARAGRAPHS, _SENTENCES, _SENTENCE_WORDS = 5, 4, 11
_LINKS = 12


def releases(folder: Path, pages: int = PAGES) -> Releases:
    """Writes both below `folder`."""
    chance = Random(SEED)
    names = [f"{WORDS[n % len(WORDS)]}/{n}.html" for n in range(pages + GONE)]
    texts = {name: _text(chance) for name in ("index.html", *names)}
    changed = set(chance.sample(names, round(CHANGED_SHARE * pages)))
    old, new = folder / "one", folder / "two"
    _write(old, "1.0", names[:pages], texts)
    later = {name: [*text[:-1], *_text(chance)[:1]] if name in changed else text for name, text in texts.items()}
    _write(new, "1.1", names[GONE:], later)
    return Releases(old, new)


def pairs(folder: Path, pages: int = PAIRED) -> Path:
    """Pages of both releases as `bench change` reads them: `pairs.jsonl` and `pages/`."""
    both = releases(folder / "site", pages)
    (folder / "pages").mkdir()
    lines = []
    for name in sorted(both.pages(both.old) & both.pages(both.new) - {"index.html"}):
        bodies = [(root / name).read_bytes() for root in (both.old, both.new)]
        names = [f"{name.removesuffix('.html').replace('/', '-')}-{turn}" for turn in ("old", "new")]
        for kept, body in zip(names, bodies, strict=True):
            (folder / "pages" / f"{kept}.html.gz").write_bytes(gzip.compress(body, 1))
        said = {"page": f"made-up/{name}", "before": names[0], "after": names[1], "changed": _main(*bodies)}
        lines.append(msgspec.json.encode(said))
    (folder / "pairs.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return folder


def _main(before: bytes, after: bytes) -> bool:
    """Whether the content element says something else."""
    return (
        before.partition(b'<div class="body">')[2].partition(b'<div class="footer">')[0]
        != (after.partition(b'<div class="body">')[2].partition(b'<div class="footer">')[0])
    )


def _text(chance: Random) -> list[str]:
    def sentence() -> str:
        return " ".join(chance.choices(WORDS, k=_SENTENCE_WORDS)).capitalize() + "."

    return [" ".join(sentence() for _ in range(_SENTENCES)) for _ in range(_PARAGRAPHS)]


def _write(folder: Path, version: str, names: list[str], texts: dict[str, list[str]]) -> None:
    for place, name in enumerate(["index.html", *names]):
        # A tree by which all can be reached, and the next ones.
        links = names if name == "index.html" else names[place : place + _LINKS]
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_page(name, version, place, links, texts[name]))


def _page(name: str, version: str, place: int, links: list[str], text: list[str]) -> bytes:
    items = "".join(f'<li><a href="/{link}">{link.partition(".")[0]}</a></li>' for link in links)
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in text)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name} — manual {version}</title>'
        f'<link rel="stylesheet" href="/manual.css?{version}">'
        f'<meta name="build" content="{version}-{place * 2_654_435_761 % 2**32:08x}"></head><body>'
        f'<nav><a href="/index.html">Manual {version}</a></nav><div class="body"><h1>{name}</h1>{paragraphs}</div>'
        f'<div class="footer"><ul>{items}</ul><p>Version {version}, built by script.</p></div></body></html>'
    ).encode()
