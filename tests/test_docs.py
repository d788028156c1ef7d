"""Documentation that fails the build: what there is must be described, and what is linked must be there."""

import ast
import re
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from named import in_backticks, is_dotted, is_file_of_a_folder, is_path, path_exists, resolves, source_of
from whimbrel.cli import exits
from whimbrel.cli.main import GROUPS, VERBS
from whimbrel.migrants.wire import messages
from whimbrel.records.visit import Outcome
from whimbrel.repository.embedded.schema import TABLES

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "whimbrel").glob("*/__init__.py"))
CODES = sorted(value for name, value in vars(exits).items() if name.isupper() and isinstance(value, int))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NAMING = ("ARCHITECTURE.md", "docs/where.md")
QUESTIONS = (
    "Where is Retry-After heeded", "Where do I add an export format", "Where do I add a `check` kind",
    "Where do I add a verb", "Where do I add a web view", "What happens when the wire changes",
    "Where is the score's formula", "How is a document format added", "Where is the queue's SQL", "Who corrects depths",
    "What happens to a silent migrant", "Where is the trap rule", "When is a page due", "Where is the shelf",
    "Where a topic judge goes", "Where a remote migrant attaches", "How is another engine plugged in",
    "Where are reader events kept", "What remembers how far a follower came", "Who says a page's language",
)  # fmt: skip

ASKED = re.findall(r"^## (.+)\?$", (ROOT / "docs" / "where.md").read_text("utf-8"), re.MULTILINE)
"""What else is asked there."""


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def anchors(document: Path) -> set[str]:
    """The headings of a document as links name them."""
    prose = FENCE.sub("", document.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken_links(document: Path) -> list[str]:
    broken = []
    for link in LINK.findall(FENCE.sub("", document.read_text("utf-8"))):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if "://" in link or link.startswith("mailto:"):
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_section(verb: str) -> None:
    assert re.search(rf"^## {verb}$", text_of("docs/verbs.md"), re.MULTILINE)


def test_the_table_of_verbs_is_that_of_the_help() -> None:
    rows = dict(re.findall(r"^\| ([^|]+) \| (\[`.*) \|$", text_of("docs/verbs.md"), re.MULTILINE))
    assert {group: re.findall(r"\[`(\w+)`\]", verbs) for group, verbs in rows.items()} == {
        group: list(verbs) for group, verbs in GROUPS.items()
    }


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_its_question(room: str) -> None:
    assert re.search(rf"^\| `{room}/`[^|]*\|[^|]*\?[^|]*\|", text_of("ARCHITECTURE.md"), re.MULTILINE)


def test_no_room_is_described_that_is_not_there() -> None:
    described = re.findall(r"^\| `(\w+)/`", text_of("ARCHITECTURE.md"), re.MULTILINE)
    assert sorted(described) == ROOMS


def test_the_exit_codes_are_those_there_are() -> None:
    listed = re.findall(r"^\| (\d+) \|", text_of("docs/verbs.md"), re.MULTILINE)
    assert sorted(map(int, listed)) == CODES


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_explained(outcome: Outcome) -> None:
    assert f"`{outcome}`" in text_of("docs/verbs.md")


@pytest.mark.parametrize("table", re.findall(r"CREATE TABLE (\w+)", TABLES))
def test_every_table_is_listed(table: str) -> None:
    assert re.search(rf"^\|[^|]*`{table}`[^|]*\|", text_of("docs/folder.md"), re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    assert broken_links(document) == []


def test_a_link_that_leads_nowhere_is_noticed(tmp_path: Path) -> None:
    there = tmp_path / "there.md"
    there.write_text("# A heading, here\n```\n[not](a-link.md)\n```\n")
    here = tmp_path / "here.md"
    here.write_text(
        "[a](there.md) [b](there.md#a-heading-here) [c](there.md#none) [d](gone.md) [e](https://example.org)"
    )
    assert broken_links(here) == ["there.md#none", "gone.md"]
    assert broken_links(there) == []


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_is_short_and_says_why(decision: Path) -> None:
    text = decision.read_text("utf-8")
    assert text.startswith(f"# {decision.name[:4]} ")
    assert len(text.splitlines()) <= 25
    for part in ("Context", "Decision", "Why", "Consequence"):
        assert f"**{part}.**" in text


# Where things are, and whether what documents name is there.


def contracts() -> dict[str, dict[str, Any]]:
    """Import-linter's, by name."""
    declared = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    return {contract["name"]: contract for contract in declared}


def pure_rooms() -> set[str]:
    return {name.removeprefix("whimbrel.") for name in contracts()["Pure rooms touch nothing"]["source_modules"]}


def answers(question: str) -> list[str]:
    """What stands below headings that ask this."""
    heading = re.compile(rf"^##+ {re.escape(question)}\??\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
    return [answer for document in NAMING for answer in heading.findall(text_of(document))]


def is_column(name: str) -> bool:
    table, _, column = name.partition(".")
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(TABLES)
        return column in {row[1] for row in database.execute("SELECT * FROM pragma_table_info(?)", (table,))}


def stale_names(text: str) -> list[str]:
    """Modules, functions, columns, paths and files that a text names in backticks and that are not there."""
    stale = []
    for name in in_backticks(text):
        if is_dotted(name):
            there = resolves(name) or is_column(name)
        elif is_file_of_a_folder(name):
            there = name.rpartition("/")[2].lstrip("*") in text_of("docs/folder.md") + text_of("docs/search.md")
        else:
            there = not is_path(name) or path_exists(name)
        stale += [] if there else [name]
    return stale


@pytest.mark.parametrize("question", sorted({*QUESTIONS, *ASKED}))
def test_a_question_has_one_heading_and_a_short_answer_that_names_a_place(question: str) -> None:
    (answer,) = answers(question)
    assert len(answer.strip().splitlines()) <= 9
    named = in_backticks(answer)
    sources = [source_of(name) for name in named if is_dotted(name) or is_path(name)]
    assert any(sources)
    words = [name for name in named if name.isidentifier()]
    told = "\n".join([*sources, *ROOMS, *VERBS, *Outcome])
    assert [word for word in words if not re.search(rf"\b{word}\b", told)] == []


def test_the_wire_contract_names_every_message_and_its_version() -> None:
    (told,) = re.findall(r"^## The wire contract\n(.*?)(?=^#)", text_of("ARCHITECTURE.md"), re.MULTILINE | re.DOTALL)
    tagged = {
        name
        for name, kind in vars(messages).items()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__struct_config__.tag
        if kind.__module__ == messages.__name__
    }
    assert tagged <= set(in_backticks(told))
    assert f"version {messages.VERSION}:" in told


def test_all_who_join_stages_are_named() -> None:
    """Whoever fetches, takes an answer in or decides what visits change."""
    (told,) = re.findall(r"^## What flows\n(.*?)(?=^#)", text_of("ARCHITECTURE.md"), re.MULTILINE | re.DOTALL)
    joins = re.compile(r"fetcher\.fetch\(|\bGathering\(|flows\.visit\.crawl import .*\breceive\b|\bcrawl\.receive\(")
    source = ROOT / "src" / "whimbrel"
    joining = {
        ".".join(file.relative_to(source).with_suffix("").parts)
        for file in source.rglob("*.py")
        if file.parent != source / "fetch" and joins.search(file.read_text("utf-8"))
    }
    assert len(joining) > 10
    assert [name for name in sorted(joining) if f"`{name}" not in told] == []


@pytest.mark.parametrize("document", NAMING)
def test_what_a_document_names_is_there(document: str) -> None:
    assert stale_names(text_of(document)) == []


def test_a_name_that_is_not_there_is_noticed() -> None:
    there = "`flows.visit.crawl.visit`, `flows.gather.deciding.Terms`, `url.outcome`, `crawl.sqlite`, `Link`, "
    there += "`src/whimbrel/flows/`"
    assert stale_names(there) == []
    for name in ("flows.visit.crawl.visits", "flows.crawls", "url.outcomes", "crawls.sqlite", "flows/crawls.py"):
        assert stale_names(f"`{name}`") == [name]


@pytest.mark.parametrize("room", sorted(re.findall(r"^\| `([\w/]+)/`", text_of("ARCHITECTURE.md"), re.MULTILINE)))
def test_a_described_room_is_a_package_that_says_what_it_does(room: str) -> None:
    assert (ROOT / "src" / "whimbrel" / room / "__init__.py").read_text("utf-8").startswith('"""')


def test_the_order_of_rooms_is_the_one_that_is_enforced() -> None:
    told = re.search(r"The order from the top: (.*?)\.\n", text_of("ARCHITECTURE.md"), re.DOTALL)
    assert told is not None
    layers = [set(re.findall(r"`(\w+)`", layer)) for layer in told[1].split("·")]
    enforced = [set(layer.split(" | ")) for layer in contracts()["Rooms stack one way"]["layers"]]
    assert layers == [layer for layer in enforced if layer != {"__main__"}]


def test_pure_rooms_are_those_that_are_kept_pure() -> None:
    marked = set(re.findall(r"^\| `(\w+)/` \*pure\*", text_of("ARCHITECTURE.md"), re.MULTILINE))
    told = re.search(r"^- Pure rooms \((.*?)\)", text_of("CONTRIBUTING.md"), re.MULTILINE | re.DOTALL)
    assert told is not None
    assert marked == pure_rooms() == set(re.findall(r"`(\w+)`", told[1]))


def test_every_paper_that_code_names_is_explained() -> None:
    named = {
        paper
        for place in (*(ROOT / "src").rglob("*.py"), *DECISIONS)
        for paper in re.findall(r"\bP\d\b", place.read_text("utf-8"))
    }
    assert named <= set(re.findall(r"^- \*\*(P\d)\*\* ", text_of("ARCHITECTURE.md"), re.MULTILINE))


def stale_in_header(module: Path) -> list[str]:
    """Names below `whimbrel`, below one of the rooms that a module is in, or of its own."""
    header = ast.get_docstring(ast.parse(module.read_text("utf-8"))) or ""
    own = ".".join(module.relative_to(ROOT / "src").with_suffix("").parts)
    rooms = [own[:end] for end in range(len(own) + 1) if own[end : end + 1] in ("", ".")]
    shown = [f"{place}.{name}" for place, name in re.findall(r"from (whimbrel\S*) import (\w+)", header)]
    named = [name for name in in_backticks(header) if is_dotted(name)]
    lost = [name for name in named if not any(map(resolves, (name, *(f"{room}.{name}" for room in rooms))))]
    return lost + [name for name in shown if not resolves(name)]


def test_the_headers_of_modules_name_what_is_there() -> None:
    stale = {str(module): stale_in_header(module) for module in sorted((ROOT / "src" / "whimbrel").rglob("*.py"))}
    assert {name: names for name, names in stale.items() if names} == {}
