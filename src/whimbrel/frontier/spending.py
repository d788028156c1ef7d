"""What each site has cost so far in this run: requests, and the pages that were kept for them."""

REQUESTS_A_PAGE = 3
"""What a kept page may cost."""


class Spending:
    """In memory, and of this run alone: a site of which nothing was kept yet has nothing to spare."""

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}
        self._kept: dict[str, int] = {}

    def asked(self, host: str, *, kept: bool) -> None:
        self._asked[host] = self._asked.get(host, 0) + 1
        if kept:
            self._kept[host] = self._kept.get(host, 0) + 1

    def kept(self, host: str) -> int:
        return self._kept.get(host, 0)

    def spare(self, host: str) -> int:
        """How many more may be asked for until its pages cost what they may; 0 where they do."""
        return max(0, REQUESTS_A_PAGE * self.kept(host) - self._asked.get(host, 0))
