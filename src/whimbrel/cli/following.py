"""Makes pages searchable while a run goes on: each commit is followed, and nobody waits for the run to end."""

import threading
from pathlib import Path

from whimbrel.cli.journal import warn


class Following:
    """Inside the block. `soon` returns at once, `now` when all that was committed is searchable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._one_at_a_time = threading.Lock()
        self._wanted = threading.Event()
        self._over = False
        self._thread = threading.Thread(target=self._follow, name="whimbrel-following", daemon=True)

    def __enter__(self) -> "Following":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over = True
        self._wanted.set()
        self._thread.join()

    def soon(self) -> None:
        self._wanted.set()

    def now(self) -> None:
        self._wanted.clear()
        with self._one_at_a_time:
            make_searchable(self._folder)

    def _follow(self) -> None:
        while self._wanted.wait() and not self._over:
            try:
                self.now()
            except Exception:  # whoever asks for it `now` meets the same, and says so
                continue


def make_searchable(folder: Path) -> None:
    """What came in goes into the index, where somebody ever asked for search."""
    from whimbrel.exchange.extras import is_installed

    if is_installed("search"):
        from whimbrel.cli.index import caught_up

        for note in caught_up(folder):
            warn(note)
