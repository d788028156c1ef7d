"""Whose word is taken: sitemaps and validators of a site, by what the visits of a run find."""

from typing import Protocol

import msgspec
from xxhash import xxh3_64_intdigest

from whimbrel.records.visit import Document
from whimbrel.repository.contract import Returned, Speaker
from whimbrel.revisit.history import PageHistory, silent_chance
from whimbrel.revisit.trust import LEAST_RECALL, SHARE, UNTRIED, VALIDATORS, Witness, heard

LASTMOD, ETAGS, PINGS = "lastmod", "validators", "indexnow"

WHOLE_SHARE = 0.002
"""Of the pages whose server would say "not modified", how many are fetched whole all the same: every body counts."""

_FEWEST_FOR_ONE = 10


class SiteWitness(Protocol):
    """What was learned of a site in earlier runs."""

    def witness(self, lane: int, name: str) -> bytes: ...


class Trusting:
    """The witnesses of every lane that is met in a run."""

    def __init__(self, words: SiteWitness, everything: bool) -> None:
        self._words = words
        self._everything = everything
        self._known: dict[tuple[int, str], Witness] = {}
        self._heard: set[tuple[int, str]] = set()

    def witness(self, lane: int, name: str) -> Witness:
        known = self._known.get((lane, name))
        if known is None:
            known = self._known[lane, name] = read_witness(self._words.witness(lane, name), name)
        return known

    def drain(self) -> dict[Speaker, bytes]:
        """What was learned since the last time, for the commit."""
        learned = {Speaker(*who): msgspec.msgpack.encode(self._known[who]) for who in self._heard}
        self._heard.clear()
        return learned

    def lastmod_said(self, lane: int, history: PageHistory, signals: int | None, changed: bool, at: float) -> Witness:
        witness = self.witness(lane, LASTMOD)
        if signals is None:
            return witness
        spares = witness.least_recall >= LEAST_RECALL and not self._everything
        elapsed = max(0.0, at - history.visited_at)
        share = SHARE if spares and not signals else 1.0
        self._learn(lane, LASTMOD, heard(witness, signals, changed, silent_chance(history, elapsed), share))
        return witness

    def ping_said(self, lane: int, history: PageHistory, changed: bool, at: float) -> None:
        """A visit after the site itself told of a change. That it told of none says nothing: few tell of all."""
        elapsed = max(0.0, at - history.visited_at)
        self._learn(lane, PINGS, heard(self.witness(lane, PINGS), 1, changed, silent_chance(history, elapsed)))

    def validators_said(self, lane: int, before: Returned, document: Document | None, changed: bool) -> None:
        """A whole answer shows whether the validators would have told of the change."""
        if document is None or not (before.etag or before.last_modified):
            return
        if before.etag:
            signals = int(before.etag != document.etag)
        else:
            signals = int(before.last_modified != document.last_modified)
        share = WHOLE_SHARE if before.unconditional else 1.0
        self._learn(lane, ETAGS, heard(self.witness(lane, ETAGS), signals, changed, sampled_share=share))

    def _learn(self, lane: int, name: str, witness: Witness) -> None:
        self._known[lane, name] = witness
        self._heard.add((lane, name))


def read_witness(record: bytes, name: str) -> Witness:
    if record:
        return msgspec.msgpack.decode(record, type=Witness)
    return VALIDATORS if name == ETAGS else UNTRIED


def believed(record: bytes, name: str = ETAGS) -> bool:
    """Whether a "not modified" of this site is taken at its word."""
    return read_witness(record, name).least_recall >= LEAST_RECALL


def announced(at: float | None, visited_at: float) -> int | None:
    """Whether a sitemap announced a change since the last visit; None where it says nothing of the page."""
    return None if at is None else int(at > visited_at)


def fetched_whole(keys: list[int], seed: int) -> list[int]:
    """The pages of one site that are asked for without conditions this time: one in `WHOLE_SHARE`, at least one in a
    site of ten pages. Others come up with another `seed`."""
    if len(keys) < _FEWEST_FOR_ONE:
        return []
    count = max(1, int(WHOLE_SHARE * len(keys)))
    return sorted(keys, key=lambda key: xxh3_64_intdigest(key.to_bytes(16, "little", signed=True), seed))[:count]
