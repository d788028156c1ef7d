"""The tokens of whole texts, many at a time, each in the language of its page."""

from collections import defaultdict

from whimbrel.parse.words import STEMMED, Analysers, Spoken
from whimbrel.search.build.stems import Stems


class Bodies:
    """What `Analysers` make of these texts, in two thirds of the time."""

    def __init__(self, analysers: Analysers) -> None:
        self._analysers = analysers
        self._stems: dict[str, Stems] = {}

    def tokens(self, texts: list[tuple[str, Spoken]]) -> list[str]:
        """Of each text, with its language."""
        found = [""] * len(texts)
        plain: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        for at, (language, said) in enumerate(texts):
            if isinstance(said, bytes):
                plain[language if language in STEMMED else ""].append((at, said))
            else:
                found[at] = self._analysers.of(language).joined(said)
        for language, some in plain.items():
            tokens = self._of(language).tokens([said for _, said in some])
            for (at, _), one in zip(some, tokens, strict=True):
                found[at] = one
        return found

    def _of(self, language: str) -> Stems:
        if language not in self._stems:
            self._stems[language] = Stems(self._analysers.of(language).meet)
        return self._stems[language]
