"""Words that came and went, as a terminal shows them: in colours, or with signs where there are none."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from whimbrel.cli.words import harmless
from whimbrel.flows.telling.wording import WordRun

_STYLES = {" ": "", "-": "red strike", "+": "green"}


def coloured(words: Iterable[WordRun], console: Console) -> Text:
    bare = console.color_system is None or console.no_color
    line = Text()
    for run in words:
        text = harmless(run.text)
        line.append(f"{run.sign}[{text}]" if bare and run.sign != " " else text, style=_STYLES[run.sign])
        line.append(" ")
    line.rstrip()
    return line
