"""How URLs of one form are divided into kinds, and what is counted of each."""

import re
from functools import cache, lru_cache

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


class Form:
    """A form in memory. Which parts are `free`, or `nearly`, is asked several times for every link and changes a few
    times in all: it is worked out when it does. A form is `divided` into kinds where any is free."""

    __slots__ = ("_free_at", "_nearly_at", "_open", "divided", "free", "host", "key", "nearly", "state")

    def __init__(self, key: str, state: FormState) -> None:
        self.key = key
        self.host = key.split(" ")[1]
        self.state = state
        self._look()

    def _look(self) -> None:
        values = self.state.values
        self.free = self._with(SAMPLE)
        self.nearly = self._with(FEW)
        self._free_at = [at for at, is_free in enumerate(self.free) if is_free]
        self._nearly_at = [at for at, is_free in enumerate(self.nearly) if is_free]
        self.divided = bool(self._free_at)
        self._open = [(at, frozenset(known)) for at, known in enumerate(values) if len(known) < SAMPLE]

    def _with(self, least: int) -> tuple[bool, ...]:
        """Which parts have so many values, or name pages."""
        return tuple([len(known) >= least or at in self.state.subjects for at, known in enumerate(self.state.values)])

    def note(self, values: list[str]) -> list[int]:
        """Values of one more URL; the parts that are free from now on."""
        freed = []
        for at, known in self._open:
            if values[at] not in known:
                self.state.values[at].append(values[at])
                freed += [at] if len(known) == SAMPLE - 1 and at not in self.state.subjects else []
                self._look()
        return freed

    def kind(self, values: list[str]) -> str:
        """The kind of a URL of these values."""
        return "\n".join(_starred(values, self._free_at))

    def nearly_kind(self, values: list[str]) -> list[str]:
        """The same in parts, where those with a few values count as free."""
        return _starred(values, self._nearly_at)

    def merge(self) -> None:
        """Counts that differ in a part that has become free are those of one kind."""
        self._look()
        merged: dict[str, list[float]] = {}
        for narrow, count in self.state.counts.items():
            so_far = merged.setdefault(self.kind(narrow.split("\n")), nothing())
            so_far[:] = [a + b for a, b in zip(so_far, count, strict=True)]
        self.state.counts = merged


def _starred(values: list[str], at_these: list[int]) -> list[str]:
    if not at_these:
        return values
    starred = values.copy()
    for at in at_these:
        starred[at] = "*"
    return starred


@lru_cache(8192)  # a URL is asked about when it is found, tried, judged, begun and visited
def form_of(url: Url) -> tuple[str, list[str], list[str]]:
    """The form of a URL, the names of its parts and their values, which nobody may change."""
    start = url.find("/", 8)
    path, _, query = (url[start + 1 :] if start > 0 else "").partition("?")
    steps = _STEPS.split(path) if ":" in path else path.split("/")
    host = url[url.index("//") + 2 : start if start > 0 else None]
    if not query:
        return f"form {host} {len(steps)} ", _names_of_steps(len(steps)), steps
    pairs = sorted(pair.partition("=")[::2] for pair in query.split("&"))
    names = [name for name, _ in pairs]
    form = f"form {host} {len(steps)} {'&'.join(names)}"
    return form, [*_names_of_steps(len(steps)), *names], [*steps, *(value for _, value in pairs)]


@cache
def _names_of_steps(count: int) -> list[str]:
    return [f"/{number}" for number in range(count)]


def nothing() -> list[float]:
    return list(NOTHING)


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


def shown(state: FormState, host: str, parts: list[str]) -> str:
    steps = [part for name, part in zip(state.names, parts, strict=True) if name[:1] == "/"]
    pairs = [f"{name}={part}" for name, part in zip(state.names, parts, strict=True) if name[:1] != "/"]
    return (f"{host}/{'/'.join(steps)}" + ("?" + "&".join(pairs) if pairs else ""))[:120]
