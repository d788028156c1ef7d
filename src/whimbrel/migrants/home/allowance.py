"""How many tasks a run may hand out: spent before they go out, so that no migrant can visit more than was allowed."""

from math import inf


class Allowance:
    """A task that comes back untouched is given back; one that was tried and failed is not, nor one that was handed out
    in another run."""

    def __init__(self, visits: int | None) -> None:
        self.visits = visits
        self._left: float = inf if visits is None else visits
        self._handed_out: set[int] = set()
        self.portion: float = inf
        """How many of them may go out before somebody has looked at what came of it."""

    @property
    def spent(self) -> bool:
        return self._left <= 0

    @property
    def left(self) -> int | None:
        """None where nothing was said of how many."""
        return None if self.visits is None else int(self._left)

    def most(self, count: int) -> int:
        """Of so many tasks, how many may go out."""
        return int(min(count, max(0, self._left), max(0, self.portion)))

    def spend(self, key: int) -> None:
        self.portion -= 1
        if self.visits is not None:
            self._left -= 1
            self._handed_out.add(key)

    def give_back(self, key: int) -> None:
        self.portion += 1
        if key in self._handed_out:
            self._left += 1
            self._handed_out.discard(key)
