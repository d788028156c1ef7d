"""How long a place can lie: pages that it sends until home believes it no more, simulated.

Nothing is fetched. What is run is `places.home.belief` and `places.home.drawing` as home runs them; a page is false
with the chance that the row names, and every false page that home looks at is seen to be one.
"""

from collections import deque
from collections.abc import Sequence
from random import Random

from msgspec import Struct

from whimbrel.config.settings import Places
from whimbrel.places.home.belief import LOOK_BACK, Compared, Trust, learn, lies, share_of, share_of_unchanged
from whimbrel.places.home.drawing import drawn
from whimbrel.places.home.waiting import MOST_ASIDE

USUAL_SHARE = Places().check_share
GOAL_SHARE = 0.08
FALSE = (0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002)
"""The last two are shares that honest places may have, by pages that are edited between two looks."""
RUNS = 200
PAGES = 500
PARCEL = 10
TRUTHFUL = 600
"""Pages that home looked at before the first lie, of a place that waited with it: some 10,000 that it sent."""
MOST_PAGES = 20_000
HIDDEN = (0.2, 0.1, 0.05)
EXPECTED = (0.5, 0.1, 0.0)


class LieRow(Struct, frozen=True):
    """Of the pages that a place sends `false` are, after as many as home found to be true before. `found`: with which
    chance within `PAGES` pages, `ever` within `MOST_PAGES`; a median of 0 stands for more than those."""

    share: float
    truthful: int
    false: float
    found: float
    median: int
    ninety_five: int
    ever: float


class HiddenRow(Struct, frozen=True):
    """Of the pages that a place calls unchanged `hidden` have changed, each as likely to have as `expected` says.
    Pages until it is believed no more; 0 stands for more than `MOST_PAGES`."""

    hidden: float
    expected: float
    median: int
    ninety_five: int


def hidden_table(runs: int = RUNS, most: int = MOST_PAGES) -> tuple[HiddenRow, ...]:
    """Of places that sent their pages truly before."""
    rows = []
    for hidden in HIDDEN:
        for expected in EXPECTED:
            pages = [
                pages_until_found(hidden, Random(seed), most, expected=expected, truthful=TRUTHFUL)
                for seed in range(runs)
            ]
            rows.append(HiddenRow(hidden, expected, *_middle_and_late(pages, runs)))
    return tuple(rows)


def table(
    share: float = USUAL_SHARE, truthful: int = 0, false: Sequence[float] = FALSE, runs: int = RUNS,
    most: int = MOST_PAGES,
) -> tuple[LieRow, ...]:  # fmt: skip
    rows = []
    for part in false:
        pages = [pages_until_found(part, Random(seed), most, share=share, truthful=truthful) for seed in range(runs)]
        found = [page for page in pages if page]
        within = sum(page <= PAGES for page in found) / runs
        rows.append(LieRow(share, truthful, part, within, *_middle_and_late(pages, runs), len(found) / runs))
    return tuple(rows)


def _middle_and_late(pages: Sequence[int], runs: int) -> tuple[int, int]:
    found = sorted(page for page in pages if page)
    middle, late = (found[at] if at < len(found) else 0 for at in (runs // 2, runs * 95 // 100))
    return middle, late


def pages_until_found(
    false: float, random: Random, most: int, *, expected: float | None = None, share: float = USUAL_SHARE,
    truthful: int = 0,
) -> int:  # fmt: skip
    """How many pages a place sends until it is believed no more; 0 where `most` do not suffice. With `expected` it
    calls them all unchanged; `truthful` were looked at before, and were so."""
    trust = Trust(checked=truthful, since_doubt=truthful)
    aside: deque[bool] = deque(maxlen=MOST_ASIDE)
    for sent in range(PARCEL, most + 1, PARCEL):
        usual = share_of(trust, share) if expected is None else share_of_unchanged(trust, share, expected)
        pages = [random.random() < false for _ in range(PARCEL)]
        chosen = drawn([usual] * PARCEL, [1] * PARCEL, random)
        looks = deque(pages[place] for place in chosen)
        aside.extend(page for place, page in enumerate(pages) if place not in chosen)
        while looks:
            differs = looks.popleft()
            learn(trust, Compared.DIFFERENT if differs else Compared.SAME)
            if differs and lies(trust):
                return sent
            if differs:
                looks.extend(aside.pop() for _ in range(min(LOOK_BACK, len(aside))))
    return 0
