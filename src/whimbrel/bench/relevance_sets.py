"""Collections of documents and questions with judged answers, and each document as a small page of a site."""

import gzip
from html import escape
from pathlib import Path

import msgspec
from msgspec import Struct

SHARED = Path(__file__).parents[4] / "shared" / "data" / "relevance"
NAMES = ("cacm", "cran", "time")


class CollectionPaper(Struct, frozen=True):
    name: str
    title: str
    text: str


class Question(Struct, frozen=True):
    """`relevant` are the names of the documents that answer it, with their grades."""

    text: str
    relevant: dict[str, float]


class Collection(Struct, frozen=True):
    name: str
    papers: list[CollectionPaper]
    questions: list[Question]


class _SetLine(Struct, frozen=True):
    document: str = ""
    title: str = ""
    text: str = ""
    query: str = ""
    relevant: dict[str, float] = {}


_line = msgspec.json.Decoder(_SetLine)


def read(path: Path) -> Collection:
    """Questions that no document answers are left out: no order of documents is better than another for them."""
    with gzip.open(path, "rb") as lines:
        read = [_line.decode(line) for line in lines]
    papers = [CollectionPaper(one.document, one.title, one.text) for one in read if one.document]
    known = {paper.name for paper in papers}
    asked = [Question(one.query, {k: g for k, g in one.relevant.items() if k in known}) for one in read if one.query]
    return Collection(path.name.partition(".")[0], papers, [one for one in asked if any(one.relevant.values())])


def write_site(collection: Collection, folder: Path) -> None:
    """A page for each document, and one that links to them all by number."""
    folder.mkdir(parents=True)
    links = "".join(f'<li><a href="{at}.html">{at}</a></li>' for at, _ in enumerate(collection.papers))
    (folder / "index.html").write_text(f"<!doctype html><html lang=en><title>All</title><ul>{links}</ul>")
    for at, paper in enumerate(collection.papers):
        (folder / f"{at}.html").write_text(page_of(paper), "utf-8")


def page_of(paper: CollectionPaper) -> str:
    title = escape(paper.title)
    head = f"<title>{title}</title>" if title else ""
    body = (f"<h1>{title}</h1>" if title else "") + f"<p>{escape(paper.text)}</p>"
    return f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'
