"""The judge of words: has this page's text all the words that were asked for?

The smallest judge there is. What it learns is how often the pages of a folder of a site had them.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from whimbrel.judges.folders import FolderCounts
from whimbrel.judges.judge import Look, Need, Serves, Sight
from whimbrel.records.request import WORDS_RULE, Fitted, Worded
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, refused
from whimbrel.structure.leads import rarity

Words: TypeAlias = frozenset[str]


class WordedJudge:
    """Judges, learns and scores for all requests by words."""

    rule = WORDS_RULE
    needs = Need.TEXT | Need.WORDS

    def __init__(self, requests: Sequence[Worded]) -> None:
        self._wanted = {request.number: frozenset(word.casefold() for word in request.words) for request in requests}
        self._rarity = {request.number: rarity(request.known, request.pages) for request in requests}
        self._folders = FolderCounts((request.fitted_on, request.wanted) for request in requests)

    def look(self, sight: Sight) -> Look[Words]:
        look = self._look(sight.words)
        self._folders.note(sight.url, bool(look.serves))
        return look

    def again(self, packed: bytes) -> Look[Words]:
        return self._look(msgspec.msgpack.decode(packed, type=Words))

    def _look(self, words: Words) -> Look[Words]:
        serves = [Serves(number, self._rarity[number]) for number, all_of in self._wanted.items() if all_of <= words]
        if serves:
            return Look(tuple(serves), ACCEPTED, words)
        asked = " or ".join(" ".join(sorted(all_of)) for all_of in self._wanted.values())
        return Look((), refused(WORDS_RULE, f"without the words asked for: {asked}"), words)

    def score(self, look: Look[Words], key: int) -> float | None:
        """Nothing that shows at the link itself counts here."""
        return None

    def promise(self, key: int, url: Url) -> float:
        return self._folders.promise(url)

    def pack(self, look: Look[Words]) -> bytes:
        return msgspec.msgpack.encode(look.trace)

    def stands(self, key: int) -> bool:
        return True

    def sort(self, look: Look[Words]) -> int:
        """All are of one sort."""
        return 0

    def done(self, number: int) -> None:
        self._wanted.pop(number, None)

    def fitted(self) -> list[Fitted]:
        return self._folders.fitted(self._wanted)

    def notes(self) -> list[str]:
        return []
