"""How often migrants die, and over which pages: when a page is given up, and when a whole run is."""

from collections import Counter

from whimbrel.repository.contract import RepositoryError

DEATHS_WITHOUT_PROGRESS = 5
DEATHS_ON_ONE_PAGE = 2


class Deaths:
    """Counted since the run began; `in_a_row` are those since anything was got done."""

    def __init__(self) -> None:
        self._over: Counter[int] = Counter()
        self.total = 0
        self.in_a_row = 0

    def another(self, fault: str) -> None:
        self.total += 1
        self.in_a_row += 1
        if self.in_a_row > DEATHS_WITHOUT_PROGRESS:
            raise RepositoryError(
                f"migrant processes keep dying before they get anything done{fault and f' ({fault})'}. "
                "Look at the messages above; `free -m` and `dmesg` tell whether memory ran out. Everything committed "
                "is safe: run the same command again."
            )

    def over(self, page: int) -> bool:
        """Counts one that died reading this page; whether it is time to give the page up."""
        self._over[page] += 1
        return self._over[page] >= DEATHS_ON_ONE_PAGE
