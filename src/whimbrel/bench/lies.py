"""How long a place can lie: pages that it sends until home believes it no more, worked out and simulated.

Nothing is fetched. What is run is `places.home.belief` as home runs it; a page is false with the chance that the row
names, and every false page that home looks at is seen to be one.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from random import Random

from msgspec import Struct

from whimbrel.places.home.belief import RIGHT_IN_A_ROW, Compared, Trust, learn, lies, share_of

SHARE = 0.08
FALSE = (0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002)
"""The last two are shares that honest places may have, by pages that are edited between two looks."""
RUNS = 100
PAGES = 500
MOST_PAGES = 20_000
NEGLIGIBLE = 1e-9


class LieRow(Struct, frozen=True):
    """`chance` is worked out: of being found within `PAGES` pages; the rest is of the simulated runs. A median of 0
    stands for more than `MOST_PAGES`."""

    false: float
    chance: float
    found: int
    median: int
    ninety_five: int
    ever: int


def table(false: Sequence[float] = FALSE, runs: int = RUNS, most: int = MOST_PAGES) -> tuple[LieRow, ...]:
    rows = []
    for share in false:
        pages = [pages_until_found(share, Random(seed), most) for seed in range(runs)]
        found = sorted(page for page in pages if page)
        middle, late = (found[at] if at < len(found) else 0 for at in (runs // 2, runs * 95 // 100))
        rows.append(LieRow(share, chance(share), sum(page <= PAGES for page in found), middle, late, len(found)))
    return tuple(rows)


def pages_until_found(false: float, random: Random, most: int) -> int:
    """How many pages a place sends until it is believed no more; 0 where `most` do not suffice."""
    trust = Trust()
    for page in range(1, most + 1):
        if random.random() < share_of(trust, SHARE):
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
