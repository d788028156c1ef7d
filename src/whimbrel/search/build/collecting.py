"""How often Python looks for garbage while many rows come and go."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 100_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Rows by the thousand make the collector look through all that is held, memos first: two hundredths of the time of
    an indexer, which leaves no cycles. Whatever else runs in the process still has its own collected, later."""
    before = gc.get_threshold()
    gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
