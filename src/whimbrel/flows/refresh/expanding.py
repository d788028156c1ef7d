"""P2's selective expansion: the children of a page that changed, or of which enough changed, are looked at."""

from collections.abc import Iterable, Set

from msgspec.structs import replace

from whimbrel.flows.packing import unpack
from whimbrel.flows.refresh.again import HERE
from whimbrel.flows.refresh.holding import history_of
from whimbrel.repository.contract import Returned
from whimbrel.repository.port.writer import Writer
from whimbrel.revisit.history import packed
from whimbrel.revisit.rule import expands, moved_threshold
from whimbrel.urls.normal import key as key_of


def expansion(store: Writer, parents: Iterable[int], changed: Set[int]) -> tuple[set[int], list[Returned]]:
    """Kept pages that these lead to and that are worth a look, and what was learned of how many have to change."""
    children: set[int] = set()
    thresholds = []
    for parent, held in store.past.held(parents).items():
        kept = {one.key for one in store.past.candidates_among(_links_of(store, parent)) if one.outcome in HERE}
        history = history_of(held)
        if expands(parent in changed, len(kept & changed), len(kept), history.threshold):
            children |= kept
        moved = moved_threshold(history.threshold, len(kept & changed), len(kept))
        if moved != history.threshold:
            thresholds.append(held.returned._replace(history=packed(replace(history, threshold=moved))))
    return children, thresholds


def _links_of(store: Writer, key: int) -> list[int]:
    version = store.version_of(key)
    if version is None or not version[2]:
        return []
    reading = unpack(version[2])
    return [key_of(url) for url, followed in zip(reading.urls, reading.followed, strict=True) if followed]
