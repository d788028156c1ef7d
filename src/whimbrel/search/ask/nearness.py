"""Which pages are about what was asked, whatever words they use: the nearest by their vectors, and how near each is."""

from pathlib import Path

import numpy as np
from msgspec import Struct

from whimbrel.rank.graph import Numbers, Shares
from whimbrel.search.contract import Query
from whimbrel.search.meaning.encoder import Vector
from whimbrel.search.meaning.sense import Sense
from whimbrel.search.meaning.vectors import Vectors
from whimbrel.urls.normal import key as key_of

MOST_NEAREST = 50
"""Pages that are weighed beside those that the words find."""

FARTHEST = 0.5
"""Of how near the nearest page is: what is less near is about something else."""

NO_MEANINGS = "like: needs to know what pages are about; `whimbrel index --meaning` works it out"
NOT_HERE = "like: was ignored: that page is not in the index"


class Meant(Struct, frozen=True):
    """What a query is about. `nearest` are the keys of the pages that are most about it, `best` how near the first."""

    vector: Vector
    nearest: Numbers
    best: float


class Nearness:
    """Of the pages of one index; of none where `sense` is None or the index was built without vectors."""

    def __init__(self, place: Path, sense: Sense | None) -> None:
        self._vectors = Vectors(place)
        self._sense = sense

    def meant(self, query: Query) -> Meant | None:
        """None where there is nothing to go by."""
        vector = self._vector(query)
        if vector is None:
            return None
        keys, near = self._vectors.nearest(vector, MOST_NEAREST)
        if query.like is not None:  # which is like itself
            other = keys != key_of(query.like)
            keys, near = keys[other], near[other]
        if not len(keys) or near[0] <= 0:
            return None
        best = float(near[0])
        return Meant(vector, keys[near >= FARTHEST * best], best)

    def values(self, meant: Meant | None, keys: Numbers) -> Shares:
        """Between 0 and 1, as `rank.fuse` wants them. A page without a vector, which is in another language or came
        lately, is as near as the others are on average: not knowing says nothing against it."""
        if meant is None:
            return np.zeros(len(keys))
        near = self._vectors.near(meant.vector, keys)
        known = ~np.isnan(near)
        values: Shares = np.minimum(1.0, near / meant.best)
        return np.where(known, values, values[known].mean() if known.any() else 0.0)

    def understands(self, language: str) -> bool:
        """Whether a question in this language has a vector."""
        return self._sense is not None and self._sense.knows(language)

    def note(self, query: Query) -> str:
        """Why a page to be like cannot be used, for a person; "" where it can."""
        if query.like is None:
            return ""
        self._vectors.refresh()
        if self._sense is None or not len(self._vectors):
            return NO_MEANINGS
        return "" if self._vectors.of(key_of(query.like)) is not None else NOT_HERE

    def _vector(self, query: Query) -> Vector | None:
        if self._sense is None:
            return None
        self._vectors.refresh()
        if not len(self._vectors):
            return None
        if query.like is not None:
            return self._vectors.of(key_of(query.like))
        return self._sense.of_question(query.said) if query.asks else None
