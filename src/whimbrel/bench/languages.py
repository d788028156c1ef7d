"""How often a page's language is told right, and how often a wrong one is named, beside the parser's own detector.

Texts come without the declaration that pages make; a second table gives every page the declaration that templates make
by mistake ("en"), and the right one.
"""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct
from turbohtml.detect import detect_language

from whimbrel.bench import goals as reached
from whimbrel.bench.goals import Goal
from whimbrel.bench.language_texts import GUIDES, KnownText, declarations, guide_texts
from whimbrel.bench.machine import MissingTool, Say
from whimbrel.parse.language import language_of
from whimbrel.parse.languages import declared_language

PAGES = 12
"""Of each edition of a guide."""
LEAST_LANGUAGES = {"guides": 19, "declarations": 80}
OURS, PEER = "ours", "parser's detector"
RIGHTLY, WRONGLY = "ours, rightly declared", "ours, declared to be English"
_PEER_CHARACTERS = 4_000


class LanguageScore(Struct, frozen=True):
    """Texts that were told right, and those told right or not at all. `mistaken` are "truth → name" of the others."""

    name: str
    texts: str
    count: int
    languages: int
    right: int
    right_or_silent: int
    worst: str
    worst_right: float
    mistaken: list[str]
    milliseconds: float

    @property
    def share_right(self) -> float:
        return self.right / self.count

    @property
    def share_right_or_silent(self) -> float:
        return self.right_or_silent / self.count


class LanguagesReport(Struct, frozen=True):
    scores: list[LanguageScore]
    missing: list[str]

    def score(self, name: str, texts: str) -> LanguageScore | None:
        return next((one for one in self.scores if (one.name, one.texts) == (name, texts)), None)


def run(cache: Path, say: Say, pages: int = PAGES) -> LanguagesReport:
    missing: list[str] = []
    guides: list[KnownText] = []
    for guide in GUIDES:
        try:
            guides += guide_texts(guide, cache, pages, say)
        except (MissingTool, OSError) as reason:
            missing.append(f"{guide.name}: {reason}")
    try:
        declared = declarations(cache, say)
    except (MissingTool, OSError) as reason:
        declared = []
        missing.append(str(reason))
    of_guides = {name: [one for one in guides if one.source == name] for name in dict.fromkeys(g.name for g in GUIDES)}
    sets = {"guides": guides, **of_guides, "declarations": declared}
    ways: dict[str, Callable[[KnownText], str]] = {
        OURS: lambda one: language_of(one.text),
        RIGHTLY: lambda one: language_of(one.text, one.language),
        WRONGLY: lambda one: language_of(one.text, "en"),
        PEER: lambda one: _parsers(one.text),
    }
    language_of("The model is read before it is timed.")
    return LanguagesReport(
        [judged(name, texts, some, tell) for name, tell in ways.items() for texts, some in sets.items() if some],
        missing,
    )


def goals(report: LanguagesReport) -> list[Goal]:
    found: list[Goal] = []
    for texts, right, silent in (("guides", 0.95, 0.98), ("declarations", None, 0.92)):
        if (one := report.score(OURS, texts)) is None:
            continue
        found.append(reached.at_least(f"languages ({texts})", one.languages, LEAST_LANGUAGES[texts]))
        if right is not None:
            found.append(reached.at_least(f"told right ({texts})", one.share_right, right))
        found.append(reached.at_least(f"told right or not at all ({texts})", one.share_right_or_silent, silent))
        found.append(reached.at_most(f"ms of CPU a page ({texts})", one.milliseconds, 0.5))
    return found


def judged(name: str, texts: str, some: list[KnownText], tell: Callable[[KnownText], str]) -> LanguageScore:
    began = time.process_time()
    told = [tell(one) for one in some]
    seconds = time.process_time() - began
    pairs = [(one.language, code) for one, code in zip(some, told, strict=True)]
    by_language = {truth: _share(code == truth for other, code in pairs if other == truth) for truth, _ in pairs}
    worst = min(sorted(by_language), key=by_language.__getitem__)
    return LanguageScore(
        name, texts, len(pairs), len(by_language),
        sum(truth == code for truth, code in pairs),
        sum(code in ("", truth) for truth, code in pairs),
        worst, by_language[worst],
        [f"{truth} → {code}" for truth, code in pairs if code not in ("", truth)],
        1e3 * seconds / len(pairs),
    )  # fmt: skip


def _parsers(text: str) -> str:
    return declared_language(detect_language(text[:_PEER_CHARACTERS]).language or "")


def _share(hits: Iterable[bool]) -> float:
    all_of_them = list(hits)
    return sum(all_of_them) / len(all_of_them)
