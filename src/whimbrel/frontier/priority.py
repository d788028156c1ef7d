"""Priority lists (P1 §3.1): pages with many links of their own and few to them come first, and nothing starves.

The value of a page is its forward links less its back links, over what the repository knows. Pages are sorted by it,
cut into three nearly equal lists, and handed out four from the first, two from the second, one from the third, again
and again. A list that is empty loses its turns.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeVar

Page = TypeVar("Page")

TURNS = (4, 2, 1)


def forward_links(own: int | None, parent: int | None, site_mean: float) -> float:
    """A page never fetched is taken to be like its parent, else like its site: as 0 the most linked would come last."""
    if own is not None:
        return own
    return site_mean if parent is None else parent


def value(forward: float, back: float) -> float:
    return forward - back


def lists(pages: Sequence[tuple[Page, float]]) -> list[list[Page]]:
    """The pages by falling value, of equal ones the earlier first, cut in three; earlier lists take the remainder."""
    ranked = [page for page, _ in sorted(pages, key=lambda entry: -entry[1])]
    size, more = divmod(len(ranked), len(TURNS))
    ends = [(number + 1) * size + min(number + 1, more) for number in range(len(TURNS))]
    return [ranked[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def by_priority(pages: Sequence[tuple[Page, float]]) -> Iterator[Page]:
    """Every page once, in the order in which the lists hand them out."""
    waiting = [deque(part) for part in lists(pages)]
    while any(waiting):
        for part, turns in zip(waiting, TURNS, strict=True):
            for _ in range(min(turns, len(part))):
                yield part.popleft()
