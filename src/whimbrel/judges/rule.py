"""What the user wrote over several judges: `topic and (like or language:de)`.

`any` and `all` are over all judges that a crawl carries. Otherwise a rule names them: `like` (pages built like the
examples), `topic`, `words`, `shows` (pictures of the classes asked for), and `language:` with a code, joined by `and`,
`or`, `not` and parentheses; `not` binds closest, then `and`. A judge that cannot say anything of a page leaves open
what rests on it.
"""

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec import Struct

from whimbrel.parse.languages import declared_language
from whimbrel.records.request import ALL, ANY, LANGUAGE_RULE, RULE, SHOWS_RULE, TOPIC_RULE, WORDS_RULE
from whimbrel.records.verdict import Verdict, refused

NAMES = {"like": RULE, "topic": TOPIC_RULE, "words": WORDS_RULE, "shows": SHOWS_RULE}
"""Judges by the names that users know, and the names by which those refuse."""
MOST_PARTS = 50

_TOKEN = re.compile(r"\s*([()]|[^\s()]+)")
_RULE = "judges"
_JOINING = ("and", "or", "not", ")")


class JudgeNamed(Struct, frozen=True):
    """The judge of this name wants the page; with a `code`, the page is in that language."""

    judge: str
    code: str = ""


class Negated(Struct, frozen=True):
    part: "Rule"


class Joined(Struct, frozen=True):
    """Every part holds, or one of them does."""

    every: bool
    parts: tuple["Rule", ...]


Rule: TypeAlias = JudgeNamed | Negated | Joined
Wants: TypeAlias = Callable[[JudgeNamed], bool | None]
"""Whether a judge wants a page; None where it cannot be told."""


def holds(rule: Rule, wants: Wants) -> bool | None:
    """None where it rests on what cannot be told."""
    match rule:
        case JudgeNamed():
            return wants(rule)
        case Negated():
            told = holds(rule.part, wants)
            return None if told is None else not told
        case Joined():
            each = [holds(part, wants) for part in rule.parts]
            if (not rule.every) in each:
                return not rule.every
            return None if None in each else rule.every


def named_in(rule: Rule) -> set[JudgeNamed]:
    match rule:
        case JudgeNamed():
            return {rule}
        case Negated():
            return named_in(rule.part)
        case Joined():
            return set().union(*map(named_in, rule.parts))


def read_rule(text: str, judges: Iterable[str]) -> Rule | Verdict:
    """`judges` are the names by which those refuse that the crawl carries."""
    carried = [judge for judge in judges if judge != LANGUAGE_RULE]
    if text in (ANY, ALL):
        return Joined(text == ALL, tuple(map(JudgeNamed, carried)))
    words = _TOKEN.findall(text)
    rule = _Reader(words, set(carried)).whole()
    if isinstance(rule, Verdict):
        return refused(_RULE, f"{text!r} is no rule over judges: {rule.reason}")
    if all(one.code for one in named_in(rule)):
        return refused(
            _RULE, f"{text!r} names no judge but languages. For those alone: --keep 'page.language == \"de\"'"
        )
    return rule


class _Reader:
    """By descent: `either` is made of `both`, that of `one`."""

    def __init__(self, words: list[str], judges: set[str]) -> None:
        self._words = words
        self._at = 0
        self._parts = 0
        self._judges = judges

    def whole(self) -> Rule | Verdict:
        rule = self._joined("or")
        if not isinstance(rule, Verdict) and self._at < len(self._words):
            return self._fault(f"{self._words[self._at]!r} stands where `and` or `or` is to be")
        return rule

    def _joined(self, word: str) -> Rule | Verdict:
        parts: list[Rule] = []
        while True:
            part = self._joined("and") if word == "or" else self._one()
            if isinstance(part, Verdict):
                return part
            parts.append(part)
            if not self._take(word):
                return parts[0] if len(parts) == 1 else Joined(word == "and", tuple(parts))

    def _one(self) -> Rule | Verdict:
        self._parts += 1
        if self._parts > MOST_PARTS:
            return self._fault(f"more than {MOST_PARTS} parts")
        if self._take("not"):
            part = self._one()
            return part if isinstance(part, Verdict) else Negated(part)
        if self._take("("):
            rule = self._joined("or")
            return rule if isinstance(rule, Verdict) or self._take(")") else self._fault("a ) is missing")
        if self._at >= len(self._words) or self._words[self._at] in _JOINING:
            return self._fault("a judge is missing")
        self._at += 1
        return self._named(self._words[self._at - 1])

    def _named(self, word: str) -> Rule | Verdict:
        name, _, code = word.partition(":")
        if name == LANGUAGE_RULE:
            known = declared_language(code)
            return (
                JudgeNamed(LANGUAGE_RULE, known) if known else self._fault(f"{word!r} names no language: language:de")
            )
        judge = NAMES.get(word)
        if judge is None:
            return self._fault(f"{word!r} is none of {', '.join(NAMES)}, language:CODE")
        if judge not in self._judges:
            return self._fault(f"it names `{word}`, and this crawl asks for nothing of that kind")
        return JudgeNamed(judge)

    def _take(self, word: str) -> bool:
        found = self._at < len(self._words) and self._words[self._at] == word
        self._at += found
        return found

    @staticmethod
    def _fault(reason: str) -> Verdict:
        return refused(_RULE, reason)
