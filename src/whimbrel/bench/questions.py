"""`bench questions`: questions that a manual asks itself, and whether the pages that its answers link to are found.

Python's FAQ asks in headings that end with a question mark; the right pages are those that the answer below links to.
PostgreSQL's release notes say in a sentence what is new; the right pages are those that it links to. The FAQs of
Django, SQLAlchemy, Scrapy and Celery are read as Python's is, and the release notes of Django, Sphinx, gevent, Tornado
and Hypothesis as PostgreSQL's are; one weight or another was chosen with each in sight. Octave and Zsh are asked for
entries of their indexes, of which so many are drawn. The pages that ask are left out of the site, so that neither they
nor what they call other pages can help.
"""

import random
import re
import shutil
import urllib.parse
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath

from msgspec import Struct
from turbohtml import Document, Element

from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.machine import Say, need_package
from whimbrel.bench.relevance import answered
from whimbrel.bench.search import POSTGRESQL, crawl
from whimbrel.parse.document import tree_of
from whimbrel.parse.words import split

PYTHON = Path("/usr/share/doc/python3-doc/html")
DJANGO = Path("/usr/share/doc/python-django-doc/html")
SQLALCHEMY = Path("/usr/share/doc/python-sqlalchemy-doc/html")
SCRAPY = Path("/usr/share/doc/python-scrapy-doc/html")
CELERY = Path("/usr/share/doc/python-celery-doc/html")
SPHINX = Path("/usr/share/doc/sphinx-doc/html")
GEVENT = Path("/usr/share/doc/python-gevent-doc/html")
TORNADO = Path("/usr/share/doc/python-tornado-doc/html")
HYPOTHESIS = Path("/usr/share/doc/python-hypothesis-doc/html")
OCTAVE = Path("/usr/share/doc/octave/octave.html")
ZSH = Path("/usr/share/doc/zsh-common/html")
REACH = 50
FEWEST_WORDS = 4
SHARED_BY = 5
"""A page that so many answers link to is the manual's list of everything, not what was asked for."""
GOAL_RANK, GOAL_FIVE = 0.35, 0.50
GOAL_RANK_MEANING, GOAL_FIVE_MEANING = 0.40, 0.57
ENTRIES, ENTRY_WORDS, MOST_PLACES = 120, range(2, 9), 3
"""Of an index so many are drawn, of so many words, that lead to so many pages at most."""
ENTRY_SEED = 7
_HEADINGS = ("h1", "h2", "h3", "h4", "dt")
_SIGN = re.compile(r"[^\w?]+$")
"""What links to a heading from its end."""


class Manual(Struct, frozen=True):
    """A folder of pages. `asking` are those with questions, as a pattern of paths, and `left_out` those that have to go
    with them; what is asked is in headings, in the items of lists or in the entries of an index. `seen` are those that
    weights were chosen on."""

    name: str
    folder: Path
    package: str
    asking: str
    left_out: str
    in_lists: bool = False
    in_index: bool = False
    seen: bool = False


class ManualQuestion(Struct, frozen=True):
    question: str
    right: frozenset[str]


class ManualScore(Struct, frozen=True):
    """`reciprocal_rank` is the mean of 1 ÷ the place of the first right page, 0 beyond the fiftieth; `meaning` says
    whether vectors had a part in it."""

    manual: str
    questions: int
    reciprocal_rank: float
    first: float
    in_five: float
    seen: bool
    meaning: bool


class QuestionsReport(Struct, frozen=True):
    manuals: list[ManualScore]

    def unseen(self, *, meaning: bool) -> list[ManualScore]:
        """The manuals that nothing was chosen on."""
        return [one for one in self.manuals if one.meaning is meaning and not one.seen]


MANUALS = (
    Manual("python", PYTHON, "python3-doc", "faq/*.html", "faq/*.html", seen=True),
    Manual("postgresql", POSTGRESQL, "postgresql-doc-15", "release-15.html", "release*.html", in_lists=True, seen=True),
    Manual("scrapy", SCRAPY, "python-scrapy-doc", "faq.html", "faq.html", seen=True),
    Manual("celery", CELERY, "python-celery-doc", "faq.html", "faq.html", seen=True),
    Manual(
        "django-releases", DJANGO, "python-django-doc", "releases/3.2.html", "releases/*.html", in_lists=True, seen=True
    ),
    Manual("django", DJANGO, "python-django-doc", "faq/*.html", "faq/*.html", seen=True),
    Manual("sqlalchemy", SQLALCHEMY, "python-sqlalchemy-doc", "faq/*.html", "faq/*.html", seen=True),
    Manual("sphinx", SPHINX, "sphinx-doc", "changes.html", "changes.html", in_lists=True, seen=True),
    Manual("gevent", GEVENT, "python-gevent-doc", "whatsnew_*.html", "changelog*.html", in_lists=True, seen=True),
    Manual("tornado", TORNADO, "python-tornado-doc", "releases/v6*.html", "releases/*.html", in_lists=True, seen=True),
    Manual("hypothesis", HYPOTHESIS, "python-hypothesis-doc", "changes.html", "changes.html", in_lists=True, seen=True),
    Manual("octave", OCTAVE, "octave-doc", "Concept-Index.html", "*Index*.html", in_index=True, seen=True),
    Manual("zsh", ZSH, "zsh-doc", "Concept-Index.html", "*Index*.html", in_index=True, seen=True),
)


def run(manuals: tuple[Manual, ...], work: Path, say: Say, *, meaning: bool = False) -> QuestionsReport:
    return QuestionsReport([found for manual in manuals for found in _found(manual, work, say, meaning)])


def goals(report: QuestionsReport) -> list[Goal]:
    return [goal for one in report.manuals if one.manual == "python" for goal in _goals(one)]


def _goals(one: ManualScore) -> list[Goal]:
    name = f"{one.manual}, with vectors" if one.meaning else one.manual
    rank, five = (GOAL_RANK_MEANING, GOAL_FIVE_MEANING) if one.meaning else (GOAL_RANK, GOAL_FIVE)
    return [
        at_least(f"mean reciprocal rank, {name}", one.reciprocal_rank, rank),
        at_least(f"share with a right page in five, {name}", one.in_five, five),
    ]


def _found(manual: Manual, work: Path, say: Say, meaning: bool) -> list[ManualScore]:
    need_package(manual.folder, manual.package, say)
    folder = manual.folder.resolve()
    asking, gone = (
        {str(path.relative_to(folder)) for path in folder.glob(pattern)} for pattern in (manual.asking, manual.left_out)
    )
    gone |= asking
    items = _asked_by(manual, folder, sorted(asking), gone)
    site = work / f"{manual.name}-site"
    without(folder, site, gone)
    kept = work / manual.name
    crawl(site, kept, say)
    say(f"{manual.name}: {len(items)} questions")
    return [_asked(manual, items, kept, meaning=way) for way in ((False, True) if meaning else (False,))]


def _asked_by(manual: Manual, folder: Path, asking: list[str], gone: set[str]) -> list[ManualQuestion]:
    if manual.in_index:
        entries = [entry for path in asking for entry in indexed_in(folder, path, gone)]
        return random.Random(ENTRY_SEED).sample(entries, min(ENTRIES, len(entries)))
    read = listed_in if manual.in_lists else headed_in
    return chosen([item for path in asking for item in read(folder, path, gone)])


def _asked(manual: Manual, items: list[ManualQuestion], kept: Path, *, meaning: bool) -> ManualScore:
    rows = answered(kept, [item.question for item in items], REACH, meaning=meaning)
    places = [_place(row, item.right) for row, item in zip(rows, items, strict=True)]
    count = max(1, len(places))
    return ManualScore(
        manual.name, len(items), sum(1 / place for place in places if place) / count,
        sum(place == 1 for place in places) / count, sum(1 <= place <= 5 for place in places) / count,
        manual.seen, meaning,
    )  # fmt: skip


def without(folder: Path, site: Path, gone: set[str]) -> None:
    """A copy of the site where these pages are not."""

    def unwanted(here: str, names: list[str]) -> set[str]:
        at = Path(here).relative_to(folder)
        return {name for name in names if str(at / name) in gone or name.endswith((".js", ".inv", ".txt"))}

    # Packages link to fonts and styles of others, which need not be installed.
    shutil.copytree(folder, site, ignore=unwanted, ignore_dangling_symlinks=True)


def chosen(items: list[ManualQuestion]) -> list[ManualQuestion]:
    """Without the pages that many answers link to, and without questions that have no other."""
    linked = Counter(path for item in items for path in item.right)
    kept = [ManualQuestion(item.question, frozenset(p for p in item.right if linked[p] < SHARED_BY)) for item in items]
    return [item for item in kept if item.right]


def headed_in(folder: Path, path: str, gone: set[str]) -> Iterator[ManualQuestion]:
    """The questions that are headings of a page, with the pages of the site that their answers link to."""
    question, right = "", set[str]()
    for element in _tree(folder / path).iter_elements((*_HEADINGS, "a")):
        if element.tag != "a":
            if question and right:
                yield ManualQuestion(question, frozenset(right))
            question, right = _question(element), set()
        elif target := _target(folder, path, element):
            right |= {target} - gone
    if question and right:
        yield ManualQuestion(question, frozenset(right))


def listed_in(folder: Path, path: str, gone: set[str]) -> Iterator[ManualQuestion]:
    """What the first paragraphs of list items say, up to a bracket, with the pages that they link to."""
    for element in _tree(folder / path).iter_elements("li"):
        paragraph = element.find("p")
        if paragraph is None:
            continue
        said = " ".join(paragraph.text.split()).partition(" (")[0]
        right = {target for link in paragraph.iter_elements("a") if (target := _target(folder, path, link))} - gone
        if right and len(said.split()) >= FEWEST_WORDS:
            yield ManualQuestion(said, frozenset(right))


def indexed_in(folder: Path, path: str, gone: set[str]) -> list[ManualQuestion]:
    """The entries of an index as Texinfo writes it, with the pages that they lead to."""
    led = defaultdict(set)
    for link in _tree(folder / path).iter_elements("a"):
        if "#index-" in (link.attr("href") or "") and (target := _target(folder, path, link)):
            led[" ".join(link.text.split()).rstrip(":")].add(target)
    entries = [ManualQuestion(said, frozenset(pages - gone)) for said, pages in sorted(led.items())]
    return [one for one in entries if len(split(one.question)) in ENTRY_WORDS and 0 < len(one.right) <= MOST_PLACES]


def _tree(path: Path) -> Document:
    return tree_of(path.read_bytes(), "text/html; charset=utf-8")[0]


def _question(heading: Element) -> str:
    words = _SIGN.sub("", " ".join(heading.text.split()))
    return words if words.endswith("?") else ""


def _target(folder: Path, path: str, link: Element) -> str:
    """The page of the site that a link leads to; "" for another."""
    parts = urllib.parse.urlsplit(link.attr("href") or "")
    if parts.scheme or parts.netloc or not parts.path.endswith(".html"):
        return ""
    target = normpath(f"{path.rpartition('/')[0]}/{urllib.parse.unquote(parts.path)}").lstrip("/")
    return target if (folder / target).is_file() else ""


def _place(paths: list[str], right: frozenset[str]) -> int:
    return next((place for place, path in enumerate(paths, 1) if path.lstrip("/") in right), 0)
