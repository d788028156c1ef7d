"""No page uses a word of ours before it says, or leads to, what the word means."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from shown import DOCUMENTS, HELP, ROOT, prose, verbs

from whimbrel.cli.glossary import GLOSSARY, uses
from whimbrel.cli.main import whimbrel

READ_BY_STRANGERS = [one for one in DOCUMENTS if one.stem not in ("CONTRIBUTING", "glossary")]


def unexplained(document: Path) -> list[str]:
    """Words whose first use is neither set in bold, which explains them there, nor a link to the glossary."""
    text, read = document.read_text("utf-8"), prose(document)
    missing = []
    for term in GLOSSARY:
        found = uses(read, term)
        if found is None:
            continue
        start, end = found.span()
        bold = "**" in text[max(0, start - 40) : start] and "**" in text[end : end + 40]
        linked = re.match(rf"[^\]]{{0,40}}\]\((?:docs/)?glossary\.md#{term.lower().replace(' ', '-')}\)", text[end:])
        heading = text[text.rfind("\n", 0, start) + 1 : start].startswith("#")
        if not (bold or linked or heading):
            missing.append(f"{term}: …{text[max(0, start - 40) : end + 40]}…")
    return missing


@pytest.mark.parametrize("document", READ_BY_STRANGERS, ids=lambda path: path.stem)
def test_every_word_of_ours_is_explained_where_it_is_first_used(document: Path) -> None:
    assert unexplained(document) == []


def test_a_word_that_is_not_explained_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "A seed, and `--migrants`. A **twin** is a page like another; twins are many. A [trap](glossary.md#trap)."
    )
    assert [line.partition(":")[0] for line in unexplained(page)] == ["seed"]


@pytest.mark.parametrize("verb", verbs())
def test_help_explains_the_words_it_uses(verb: str) -> None:
    said = CliRunner().invoke(whimbrel, [verb, HELP]).output
    told, _, words = said.partition("\n  Words:\n")
    assert [term for term in GLOSSARY if uses(told, term) and not re.search(rf"^ +{term}  ", words, re.MULTILINE)] == []
    assert all(len(line) <= 80 for line in words.splitlines())


def test_the_glossary_says_what_help_says() -> None:
    written = re.findall(r"^## (.+)\n\n(.+)$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert dict(written) == GLOSSARY


def test_no_paper_is_named_by_a_letter_and_a_number() -> None:
    assert [path.name for path in DOCUMENTS if re.search(r"\bP[0-4]\b", path.read_text("utf-8"))] == []
