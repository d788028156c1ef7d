"""The judge of pictures: does this page show one of a class that was asked for?

What a page calls a picture and what shape it has are held against each other where the migrant is. A label alone is
believed, one that the shape contradicts is not, and a shape that nobody calls anything is: it is near an example.
"""

from collections.abc import Collection, Sequence
from typing import TypeAlias

import msgspec

from whimbrel.judges.folders import FolderCounts
from whimbrel.judges.judge import Look, Need, Serves, Sight
from whimbrel.records.picturing import LabelSays, PictureSeen
from whimbrel.records.request import SHOWS_RULE, Fitted, Shown
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.structure.leads import rarity

MATCHED, BY_SHAPE, BY_NAME, CONTRADICTED = 1.0, 0.75, 0.5, 0.0
"""What a picture counts by how its label and its shape agree; a page counts as its best picture does."""
ENOUGH = BY_NAME

Seen: TypeAlias = tuple[PictureSeen, ...]
_seen = msgspec.msgpack.Decoder(Seen)


class PicturedJudge:
    """Judges, learns and scores for all requests by pictures. Of its looks `trace` is what was seen."""

    rule = SHOWS_RULE
    needs = Need.IMAGES

    def __init__(self, requests: Sequence[Shown]) -> None:
        self._wanted = {request.number: frozenset(request.classes) for request in requests}
        self._rarity = {request.number: rarity(request.known, request.pages) for request in requests}
        self._folders = FolderCounts((request.fitted_on, request.wanted) for request in requests)

    def look(self, sight: Sight) -> Look[Seen]:
        look = self._look(tuple(sight.pictures))
        self._folders.note(sight.url, bool(look.serves))
        return look

    def again(self, packed: bytes) -> Look[Seen]:
        return self._look(_seen.decode(packed))

    def _look(self, pictures: Seen) -> Look[Seen]:
        serves = [
            Serves(number, self._rarity[number])
            for number, classes in self._wanted.items()
            if shown(pictures, classes) >= ENOUGH
        ]
        reason = "; ".join(one.words() for one in pictures) or "it shows no picture that could be looked at"
        if serves:
            wanted = frozenset().union(*self._wanted.values())
            best = max(pictures, key=lambda one: worth(one, wanted))
            return Look(tuple(serves), Verdict(True, SHOWS_RULE, best.words()), pictures)
        asked = " or ".join(sorted(frozenset().union(*self._wanted.values())))
        return Look((), refused(SHOWS_RULE, f"no picture of a {asked}: {reason}"), pictures, near=False)

    def score(self, look: Look[Seen], key: int) -> float | None:
        """Links of pages with such pictures promise more."""
        if not self._wanted:
            return None
        return shown(look.trace, frozenset().union(*self._wanted.values()))

    def promise(self, key: int, url: Url) -> float:
        return self._folders.promise(url)

    def pack(self, look: Look[Seen]) -> bytes:
        return msgspec.msgpack.encode(look.trace)

    def stands(self, key: int) -> bool:
        return True

    def sort(self, look: Look[Seen]) -> int:
        """All are of one sort."""
        return 0

    def done(self, number: int) -> None:
        self._wanted.pop(number, None)

    def fitted(self) -> list[Fitted]:
        return self._folders.fitted(self._wanted)

    def notes(self) -> list[str]:
        return []


def shown(pictures: Sequence[PictureSeen], wanted: Collection[str]) -> float:
    """How surely a page shows what is wanted, from 0 to 1."""
    return max((worth(one, wanted) for one in pictures), default=0.0)


def worth(picture: PictureSeen, wanted: Collection[str]) -> float:
    called = any(name in wanted for name in picture.called)
    shaped = picture.shaped in wanted
    if picture.broken or picture.says is LabelSays.CONTRADICTS or (picture.called and not called):
        return CONTRADICTED
    if called:
        return MATCHED if shaped and picture.says is LabelSays.MATCHES else BY_NAME
    return BY_SHAPE if shaped else 0.0
