"""How `changes` looks on a terminal."""

from collections import Counter
from datetime import UTC, datetime
from urllib.parse import urlsplit

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from whimbrel.cli.coloured import coloured
from whimbrel.cli.folder import many, moment
from whimbrel.cli.words import harmless, number
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.hearing import Hearing
from whimbrel.flows.telling.news import NewsFilter, chosen, pending
from whimbrel.flows.telling.saying import OF_SITES, excerpts, measure, name_of, summary
from whimbrel.flows.telling.wording import cut
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader

ORDER = ("changed", "new", "moved", "gone", "restored", "away", "answers", "missing", "first")
_STYLES = {
    "changed": "yellow", "new": "green", "moved": "cyan", "gone": "red", "restored": "green", "missing": "magenta",
    "first": "", "away": "red", "answers": "green",
}  # fmt: skip
_INDENT = " " * 9
_PLACES = 3
_NARROWEST = 60
_WIDEST = 100
_MOST_NAMED = 6


def show(news: Reader, choice: NewsFilter, since: str, until: str | None, limit: int) -> None:
    """Counts first, then what is waited for, then the rest by day."""
    console = Console(highlight=False)
    console.soft_wrap = not console.is_terminal  # what is piped on is searched by the line
    counted: Counter[str] = Counter()
    shown: list[FoldedChange] = []
    echoes = 0
    hearing = Hearing(news)
    for found in (pending(news, choice), chosen(news, choice, hearing)):
        for item in found:
            if item.because_of:
                echoes += 1
                continue
            counted[item.told.what] += 1
            if len(shown) < limit:
                shown.append(item)
    firsts = news.first_count(choice.since, choice.until, choice.site) if choice.is_open else 0
    _heads(console, counted, echoes, firsts, _period(since, until))
    day = ""
    for item in shown:
        if item.told.what != "missing" and (today := _day(item.told.at)) != day:
            day = today
            console.print(Text(f"\n{day}", style="bold"))
        elif item.told.what == "missing" and not day:
            day = " "
            console.print(Text("\nnot found at the last visit; `whimbrel refresh --confirm` asks now", style="bold"))
        _show(console, item)
    if hearing.hushed and not choice.silenced:
        words = f"\n{many(hearing.hushed, 'change')} kept quiet; `whimbrel silence` says why, --silenced lists them"
        console.print(Text(words, style="dim"))
    left = counted.total() - len(shown)
    if left:
        console.print(Text(f"\nand {number(left)} older; --limit and --since choose, --json lists all", style="dim"))


def _period(since: str, until: str | None) -> str:
    return f"since {since}" if until is None else f"from {since} to {until}"


def _heads(console: Console, counted: Counter[str], echoes: int, firsts: int, period: str) -> None:
    counts = ", ".join(f"{number(counted[what])} {what}" for what in ORDER if counted[what])
    if firsts:
        console.print(f"first crawl: {many(firsts, 'page')}", markup=False)
    if counts or not firsts:
        console.print(f"{period}: {counts or 'no changes'}", markup=False)
    if echoes:
        these = "this one" if counted.total() == 1 else "these"
        console.print(Text(f"{many(echoes, 'page')} changed only because of {these}, named beneath", style="dim"))


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%A, %-d %B %Y")


def _show(console: Console, item: FoldedChange) -> None:
    told = item.told
    width = min(_WIDEST, max(_NARROWEST, console.width))
    title = harmless(name_of(told)).strip() or _path(told.url)
    clock = datetime.fromtimestamp(told.at, UTC).strftime("%H:%M")
    console.print(
        Text.assemble(
            (f"{told.what:<9}", _STYLES[told.what]),
            (cut(title, width - len(_INDENT) - 7), "bold"),
            (f"  {clock}{' seen' if item.seen else ''}", "dim"),
        )
    )
    console.print(Text(f"{_INDENT}{harmless(told.url)}", style="blue"), soft_wrap=True)
    below = _facts(item, width - len(_INDENT), console)
    if item.also_on:
        below.append(Text.assemble(("also on: ", "dim"), _named(told.url, item.also_on)))
    for text in below:
        if console.is_terminal:
            console.print(Padding(text, (0, 0, 0, len(_INDENT)), expand=False))
        else:
            console.print(Text.assemble(_INDENT, text))


def _facts(item: FoldedChange, width: int, console: Console) -> list[Text]:
    told = item.told
    if told.what == "moved":
        return [Text(f"to {harmless(told.target)}")] if told.target else []
    if told.what in ("gone", "missing"):
        again = f"; asked again {moment(item.asked_again_at)[:-3]} UTC" if item.asked_again_at else ""
        return [Text(harmless(told.reason) + again, style="dim")]
    if told.what in OF_SITES:
        return [Text(harmless(summary(told)), style="dim")]
    if told.what not in ("changed", "restored"):
        return []
    found = [Text(measure(told) or "as it was", style="dim")]
    for spot, words in excerpts(told, _PLACES, width - 4):
        name = "" if spot.shows == "words" else f"{spot.shows}: "
        if spot.what == "moved":
            name = "moved: "
        found.append(Text.assemble("  ", (name, "dim"), coloured(words, console)))
    return found


def _named(url: Url, others: tuple[Url, ...]) -> str:
    """Paths alone where the host is the page's own."""
    host = urlsplit(url).netloc
    names = [_path(other) if urlsplit(other).netloc == host else other for other in others]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return harmless(", ".join(names[:_MOST_NAMED]) + more)


def _path(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
