"""The judge of languages: in which is this page? A rule over judges asks for it; there are no requests for it."""

from collections.abc import Collection

from whimbrel.judges.judge import Look, Need, Sight
from whimbrel.parse.language import language_of
from whimbrel.records.request import LANGUAGE_RULE, Fitted
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict


class LanguageJudge:
    """Of its looks `trace` is the code of the language, "" where neither text nor page tell. Links promise nothing:
    what a page is written in shows when it is here."""

    rule = LANGUAGE_RULE
    needs = Need.TEXT

    def __init__(self, codes: Collection[str]) -> None:
        self._codes = frozenset(codes)

    def look(self, sight: Sight) -> Look[str]:
        return self._look(language_of(sight.page.text, sight.page.language))

    def again(self, packed: bytes) -> Look[str]:
        return self._look(packed.decode("utf-8", "replace").removeprefix("in "))

    def _look(self, code: str) -> Look[str]:
        reason = f"in the language “{code}”" if code else "in a language that cannot be told"
        return Look((), Verdict(code in self._codes, LANGUAGE_RULE, reason), code, near=code in self._codes)

    def pack(self, look: Look[str]) -> bytes:
        return f"in {look.trace}".encode()

    def score(self, look: Look[str], key: int) -> float | None:
        return None

    def promise(self, key: int, url: Url) -> float:
        return 0.0

    def stands(self, key: int) -> bool:
        return True

    def sort(self, look: Look[str]) -> int:
        return 0

    def done(self, number: int) -> None:
        """No request is its own."""

    def fitted(self) -> list[Fitted]:
        return []

    def notes(self) -> list[str]:
        return []
