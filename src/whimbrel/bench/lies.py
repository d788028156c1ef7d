"""How long a place can lie: pages that it sends until home believes it no more, worked out and simulated.

Nothing is fetched. What is run is `places.home.belief` as home runs it; a page is false with the chance that the row
names, and every false page that home looks at is seen to be one.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from random import Random

from msgspec import Struct

from whimbrel.places.home.belief import RIGHT_IN_A_ROW, Compared, Trust, learn, lies, share_of, share_of_unchanged

SHARE = 0.08
FALSE = (0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002)
"""The last two are shares that honest places may have, by pages that are edited between two looks."""
RUNS = 100
PAGES = 500
MOST_PAGES = 20_000
NEGLIGIBLE = 1e-9
HIDDEN = (0.2, 0.1, 0.05)
EXPECTED = (0.5, 0.1, 0.0)


class LieRow(Struct, frozen=True):
    """`chance` is worked out: of being found within `PAGES` pages; the rest is of the simulated runs. A median of 0
    stands for more than `MOST_PAGES`."""

    false: float
    chance: float
    found: int
    median: int
    ninety_five: int
    ever: int


class HiddenRow(Struct, frozen=True):
    """Of the pages that a place calls unchanged `hidden` have changed, each as likely to have as `expected` says.
    Pages until it is believed no more, by simulation; 0 stands for more than `MOST_PAGES`."""

    hidden: float
    expected: float
    median: int
    ninety_five: int


def hidden_table(runs: int = RUNS, most: int = MOST_PAGES) -> tuple[HiddenRow, ...]:
    """Of places that sent their pages truly before."""
    rows = []
    for hidden in HIDDEN:
        for expected in EXPECTED:
            pages = [pages_until_found(hidden, Random(seed), most, expected) for seed in range(runs)]
            rows.append(HiddenRow(hidden, expected, *_middle_and_late(pages, runs)))
    return tuple(rows)


def _middle_and_late(pages: Sequence[int], runs: int) -> tuple[int, int]:
    found = sorted(page for page in pages if page)
    middle, late = (found[at] if at < len(found) else 0 for at in (runs // 2, runs * 95 // 100))
    return middle, late


def table(false: Sequence[float] = FALSE, runs: int = RUNS, most: int = MOST_PAGES) -> tuple[LieRow, ...]:
    rows = []
    for share in false:
        pages = [pages_until_found(share, Random(seed), most) for seed in range(runs)]
        found = sorted(page for page in pages if page)
        middle, late = _middle_and_late(pages, runs)
        rows.append(LieRow(share, chance(share), sum(page <= PAGES for page in found), middle, late, len(found)))
    return tuple(rows)


def pages_until_found(false: float, random: Random, most: int, expected: float | None = None) -> int:
    """How many pages a place sends until it is believed no more; 0 where `most` do not suffice. With `expected` it
    calls them all unchanged, after as many that it sent truly as it takes to be checked less."""
    trust = Trust() if expected is None else Trust(checked=RIGHT_IN_A_ROW, since_doubt=RIGHT_IN_A_ROW)
    for page in range(1, most + 1):
        share = share_of(trust, SHARE) if expected is None else share_of_unchanged(trust, SHARE, expected)
        if random.random() < share:
            seen = Compared.DIFFERENT if random.random() < false else Compared.SAME
            learn(trust, seen)
            if seen is Compared.DIFFERENT and lies(trust):
                return page
    return 0


@cache
def _lies(checked: int, differed: int) -> bool:
    return lies(Trust(checked=checked, differed=differed))


def chance(false: float, pages: int = PAGES) -> float:
    """Of being found within so many pages, over all courses that home's looks can take."""
    found, courses = 0.0, {(0, 0, 0): 1.0}
    for _ in range(pages):
        later: dict[tuple[int, int, int], float] = defaultdict(float)
        for (checked, differed, row), likely in courses.items():
            share = share_of(Trust(since_doubt=row), SHARE)
            later[checked, differed, row] += likely * (1 - share)
            later[checked + 1, differed, min(row + 1, RIGHT_IN_A_ROW)] += likely * share * (1 - false)
            if _lies(checked + 1, differed + 1):
                found += likely * share * false
            else:
                later[checked + 1, differed + 1, 0] += likely * share * false
        courses = {course: likely for course, likely in later.items() if likely > NEGLIGIBLE}
    return found
