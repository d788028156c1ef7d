"""Small charts, drawn as SVG by hand: nothing to load, nothing to run."""

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup
from msgspec import Struct

from whimbrel.web.crawls import ProgressSample
from whimbrel.web.presentation import number, percent, size

WIDTH, HEIGHT, FOOT = 330, 90, 16
MOST_POINTS = 120
LEAST_STEP_SECONDS = 0.1
_OF_BYTES = {"novel": "new", "duplicate": "copies", "not_modified": "unchanged"}


class Series(Struct, frozen=True):
    name: str
    values: tuple[float, ...]
    """What came in each step."""


class Chart(Struct, frozen=True):
    """A drawing with the words a screen reader says instead of it."""

    title: str
    words: str
    svg: Markup
    legend: tuple[tuple[str, str], ...]
    """Names of the series with their last value, in the order of their colours."""


def rates(samples: Sequence[ProgressSample], *, of: str) -> tuple[list[float], list[Series]]:
    """Per second between one sample and the next; `of` is pages, outcomes or bytes."""
    thinned = list(samples[:: max(1, len(samples) // MOST_POINTS)])
    pairs = [(old, new) for old, new in pairwise(thinned) if new.at - old.at > LEAST_STEP_SECONDS]
    names = list(dict.fromkeys(name for _, new in pairs for name in _told(new, of)))
    series = [
        Series(name, tuple(max(0.0, _told(new, of).get(name, 0) - _told(old, of).get(name, 0)) / (new.at - old.at)
                           for old, new in pairs))
        for name in names
    ]  # fmt: skip
    return [new.at for _, new in pairs], series


def _told(sample: ProgressSample, of: str) -> dict[str, int]:
    progress = sample.progress
    if of == "pages":
        return {"pages": progress.pages}
    return progress.outcomes if of == "outcomes" else progress.bytes


def chart(title: str, samples: Sequence[ProgressSample], *, of: str, end: str = "now") -> Chart:
    """Stacked areas over time; `end` is what the last moment is called."""
    at, series = rates(samples, of=of)
    unit = size if of == "bytes" else _per_second
    names = _OF_BYTES if of == "bytes" else {}
    legend = tuple((names.get(each.name, each.name.replace("_", " ")), unit(each.values[-1])) for each in series)
    if not at or not series:
        return Chart(title, "Nothing measured yet.", _frame("", "", "", ""), legend)
    totals = [sum(each.values[step] for each in series) for step in range(len(at))]
    top = max(*totals, 0.0) or 1.0
    words = (
        f"{title}: now {unit(totals[-1])} a second, at most {unit(max(totals))}, over {round(at[-1] - at[0])} seconds"
    )
    return Chart(title, words, _frame(_areas(series, top), unit(top), f"{round(at[-1] - at[0])} s", end), legend)


def over_days(title: str, series: Sequence[Series]) -> Chart:
    """Stacked areas of counts, a step for each day, today last."""
    days = len(series[0].values)
    totals = [sum(each.values[step] for each in series) for step in range(days)]
    top = max(totals) or 1.0
    legend = tuple((each.name, number(sum(each.values))) for each in series)
    words = f"{title}: {number(sum(totals))} in all, at most {number(max(totals))} a day"
    return Chart(title, words, _frame(_areas(series, top), number(top), f"{days - 1} days", "today"), legend)


def harvest_curve(samples: Sequence[ProgressSample], *, end: str = "now") -> Chart:
    """The share of judged pages that were relevant, in all and of the last ones, over time: two lines."""
    judged = [each for each in samples if each.progress.judged]
    title = "Share of relevant pages"
    if not judged:
        return Chart(title, "No page was judged yet.", _frame("", "", "", ""), ())
    thinned = [*judged[:: max(1, len(judged) // MOST_POINTS)], judged[-1]]
    series = (
        Series("in all", tuple(_share(each.progress.relevant / each.progress.judged) for each in thinned)),
        Series("of the last ones", tuple(_share(each.progress.lately) for each in thinned)),
    )
    legend = tuple((each.name, percent(each.values[-1])) for each in series)
    told = ", ".join(f"{value} {name}" for name, value in legend)
    words = f"{title}: {told}, of {number(judged[-1].progress.judged)} pages judged"
    span = f"{round(judged[-1].at - judged[0].at)} s"
    return Chart(title, words, _frame(_lines(series), percent(1.0), span, end), legend)


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _per_second(value: float) -> str:
    return number(value) if value >= 10 or value == 0 else f"{value:.1f}"


def _areas(series: Sequence[Series], top: float) -> str:
    steps = len(series[0].values)
    below = [0.0] * steps
    drawn = []
    for place, each in enumerate(series):
        above = [base + value for base, value in zip(below, each.values, strict=True)]
        points = [*_line(above, top), *reversed(_line(below, top))]
        drawn.append(f'<polygon class="series series-{place % 8}" points="{" ".join(points)}"/>')
        below = above
    return "".join(drawn)


def _lines(series: Sequence[Series]) -> str:
    """Side by side, each from 0 to 1."""
    return "".join(
        f'<polyline class="line series-{place % 8}" points="{" ".join(_line(each.values, 1.0))}"/>'
        for place, each in enumerate(series)
    )


def _line(values: Sequence[float], top: float) -> list[str]:
    if len(values) == 1:
        values = [*values, *values]
    step = WIDTH / (len(values) - 1)
    return [f"{place * step:.1f},{HEIGHT - value / top * (HEIGHT - FOOT):.1f}" for place, value in enumerate(values)]


def _frame(inside: str, top: str, span: str, end: str) -> Markup:
    """Only numbers and words of ours go in here."""
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + FOOT}" aria-hidden="true" focusable="false" class="chart">'
        f'<line class="axis" x1="0" x2="{WIDTH}" y1="{HEIGHT}" y2="{HEIGHT}"/>{inside}'
        f'<text x="0" y="11">{top}</text><text x="0" y="{HEIGHT + 13}">{"− " + span if span else ""}</text>'
        f'<text x="{WIDTH}" y="{HEIGHT + 13}" text-anchor="end">{end}</text></svg>'
    )
