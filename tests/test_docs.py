"""Documentation that fails the build: what there is must be described, and what is linked must be there."""

import re
from pathlib import Path

import pytest

from whimbrel.cli import exits
from whimbrel.cli.main import VERBS
from whimbrel.records.visit import Outcome
from whimbrel.repository.embedded.schema import TABLES

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "whimbrel").glob("*/__init__.py"))
CODES = sorted(value for name, value in vars(exits).items() if name.isupper() and isinstance(value, int))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


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
