"""How URLs of one form are divided into kinds, and what is counted of each."""

import re
from functools import lru_cache

from msgspec import Struct, field

from whimbrel.records.url import Url

SAMPLE = 20
"""Asked for before a kind is judged by itself, and values after which one is free: with nothing in 20 there is
something in less than 15 of 100 with a certainty of 95 % (rule of three)."""
FEW = SAMPLE // 4
"""Asked for before a kind is judged in the light of others; links that make a list; values that name kept pages, after
which a part is free; and values after which one is treated so when it comes to how many may be under way at once."""
_STEPS = re.compile("[/:]")

ASKED, WORTH, NEW, LEADING, LATE, VIEWS = range(6)
COUNTED = 6
NOTHING = (0.0,) * COUNTED


class FormState(Struct, array_like=True):
    """`names` are those of the parts, `values` what each was seen with until it is free; `counts` has, by fixed values,
    how many were asked for, how many were kept or needed, how many pages' worth of new words they brought, how many of
    those not kept may be followed, how often the first that was worth it came after others that were not, and how many
    of those that may not are views of a page that is kept. `subjects` are the parts that name pages."""

    names: list[str]
    values: list[list[str]]
    counts: dict[str, list[float]] = field(default_factory=dict)
    subjects: list[int] = field(default_factory=list)


@lru_cache(8192)  # a URL is asked about when it is found, tried, judged, begun and visited
def form_of(url: Url) -> tuple[str, list[str], list[str]]:
    """The form of a URL, the names of its parts and their values, which nobody may change."""
    start = url.find("/", 8)
    path, _, query = (url[start:] if start > 0 else "/").partition("?")
    steps = _STEPS.split(path[1:])
    pairs = sorted(pair.partition("=")[::2] for pair in query.split("&")) if query else []
    names = [f"/{number}" for number in range(len(steps))] + [name for name, _ in pairs]
    host = url[url.index("//") + 2 : start if start > 0 else None]
    return f"form {host} {len(steps)} {'&'.join(name for name, _ in pairs)}", names, [*steps, *(v for _, v in pairs)]


def nothing() -> list[float]:
    return list(NOTHING)


def free(state: FormState, least: int = SAMPLE) -> list[bool]:
    if not state.subjects:  # as of most forms, and asked several times for every link
        return [len(known) >= least for known in state.values]
    return [len(known) >= least or at in state.subjects for at, known in enumerate(state.values)]


def fixed(state: FormState, values: list[str], least: int = SAMPLE) -> str:
    return "\n".join(["*" if is_free else value for is_free, value in zip(free(state, least), values, strict=True)])


def at_large(state: FormState, kind: list[str]) -> tuple[float, float, list[str]]:
    """How many were asked for and how much they brought, of the narrowest kind of which a sample is known: where there
    is none of this file, of its folder."""
    steps, last = _steps(state), _last_of_view(state)
    for end in range(steps, last, -1):
        wide = [part if at < end or at >= steps else "*" for at, part in enumerate(kind)]
        found = sums(state, wide)
        if found[ASKED] >= SAMPLE:
            return found[ASKED], found[NEW], wide
    return 0.0, 0.0, kind


def sums(state: FormState, kind: list[str]) -> list[float]:
    """The counts of all that is of a kind: `*` stands for any value."""
    total = nothing()
    for narrow, count in state.counts.items():
        if all(part in ("*", value) for part, value in zip(kind, narrow.split("\n"), strict=True)):
            total = [a + b for a, b in zip(total, count, strict=True)]
    return total


def view(state: FormState, kind: list[str]) -> list[str]:
    """All that is shown of a repository in one way, whatever the file."""
    steps, last = _steps(state), _last_of_view(state)
    return [part if at <= last or at >= steps else "*" for at, part in enumerate(kind)]


def _last_of_view(state: FormState) -> int:
    """Which view of which repository it is always counts: the first step of the path of which there are several, and
    the one below where that is the very first."""
    several = next((at for at in range(_steps(state)) if len(state.values[at]) > 1), _steps(state))
    return several + (several == 0)


def _steps(state: FormState) -> int:
    return sum(name[:1] == "/" for name in state.names)


def shown(state: FormState, key: str, parts: list[str]) -> str:
    host = key.split(" ")[1]
    steps = [part for name, part in zip(state.names, parts, strict=True) if name[:1] == "/"]
    pairs = [f"{name}={part}" for name, part in zip(state.names, parts, strict=True) if name[:1] != "/"]
    return (f"{host}/{'/'.join(steps)}" + ("?" + "&".join(pairs) if pairs else ""))[:120]


def merge(state: FormState) -> None:
    """Counts that differ in a part that has become free are those of one kind."""
    merged: dict[str, list[float]] = {}
    for narrow, count in state.counts.items():
        kind = fixed(state, narrow.split("\n"))
        so_far = merged.setdefault(kind, nothing())
        merged[kind] = [a + b for a, b in zip(so_far, count, strict=True)]
    state.counts = merged
