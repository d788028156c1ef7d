"""The commands that documentation and help show, as a reader would type them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from whimbrel.cli.main import VERBS, whimbrel

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
HELP = "--help"

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(
    r"^\s*(?:\$ |[\d* ]+ cd /\S+ && |ExecStart=/usr/local/bin/)?(?=(?:\./)?whimbrel |.*\| (?:\./)?whimbrel )"
)
_BESIDE = re.compile(r"\s{2,}#.*|\s+# .*")
_SHELL = re.compile(r"[|;&<>]")


@dataclass(frozen=True)
class Command:
    """`line` is all of it, for a shell; `words` are those behind the program's name."""

    line: str
    words: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """One program, no shell needed."""
        return not any(_SHELL.search(word) and " " not in word and "'" not in self.line for word in self.words) and (
            shlex.split(self.line)[0].endswith("whimbrel")
        )

    @property
    def verb(self) -> str:
        return self.words[0]

    @property
    def stays(self) -> bool:
        """It runs until somebody stops it."""
        watches = self.verb == "watch" and not {"--unit", "--rounds"} & set(self.words)
        return self.verb == "serve" or watches or "--watch" in self.words or "--serve" in self.words


def commands(document: Path | str) -> list[Command]:
    """Those of a document's examples, or of a verb's help."""
    if isinstance(document, str):
        return list(_commands(_examples(document)))
    return list(_commands("\n".join(_FENCE.findall(document.read_text("utf-8")))))


def _commands(text: str) -> Iterator[Command]:
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        prompt = _PROMPT.match(line)
        if prompt:
            typed = _BESIDE.sub("", line[prompt.end() :]).strip()
            ours = re.split(r"(?:^|[|;&] ?)(?:\./)?whimbrel ", typed)[1]
            yield Command(typed, tuple(shlex.split(re.split(r" [|;&>]", ours)[0])))


def _examples(verb: str) -> str:
    said = CliRunner().invoke(whimbrel, [verb, HELP]).output
    return said.partition("Examples:")[2]


def prose(document: Path) -> str:
    """What is read as sentences: no examples, no code, no addresses of links."""
    examples = re.compile(rf"{_FENCE.pattern}|`[^`]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
    return examples.sub(lambda found: " " * len(found[0]), document.read_text("utf-8"))


def verbs() -> list[str]:
    return list(VERBS)
