"""What documents tell people to type is there to be typed."""

import importlib
import re
from pathlib import Path

import click
import pytest

from whimbrel.cli.main import VERBS

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")))
_TYPED = re.compile(r"(?:whimbrel |`)([a-z]+)((?: [^`\n#|&]*)?)")
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def flags_of(verb: str) -> set[str]:
    command: click.Command = importlib.import_module(VERBS[verb][0]).command
    return {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)} | {"--help"}


def unknown_in(text: str) -> list[str]:
    """Flags that stand behind a verb that does not take them; those of benches are their own."""
    return [
        f"{verb} {flag}"
        for verb, rest in _TYPED.findall(text)
        if verb in VERBS and verb != "bench"
        for flag in _FLAG.findall(rest)
        if flag not in flags_of(verb)
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_verbs_take_the_flags_that_documents_name(document: Path) -> None:
    assert unknown_in(document.read_text("utf-8")) == []


def test_a_flag_that_is_not_there_is_noticed() -> None:
    assert unknown_in("`pages --all`, and\n```\nwhimbrel crawl URL --limit 3 --sites x   # --none\n```") == [
        "pages --all",
        "crawl --sites",
    ]
