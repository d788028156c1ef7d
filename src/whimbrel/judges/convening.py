"""Which judge answers which kind of request. A new kind is a record in `records.request` and a line here."""

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct

from whimbrel.judges.alike import AlikeJudge
from whimbrel.judges.judge import PageJudge
from whimbrel.judges.panel import Panel
from whimbrel.judges.pictured import PicturedJudge
from whimbrel.judges.rule import Rule, named_in, read_rule
from whimbrel.judges.speaking import LanguageJudge
from whimbrel.judges.worded import WordedJudge
from whimbrel.records.request import (
    ALL,
    ANY,
    RULE,
    SHOWS_RULE,
    TOPIC_RULE,
    WORDS_RULE,
    Alike,
    Request,
    Shown,
    Topical,
    Worded,
)
from whimbrel.records.verdict import Verdict

_KINDS = {Alike: RULE, Worded: WORDS_RULE, Topical: TOPIC_RULE, Shown: SHOWS_RULE}


def rule_over(requests: Sequence[Request], rule: str) -> Rule | Verdict:
    """The rule over the judges of these requests, or what is wrong with it."""
    return read_rule(rule, dict.fromkeys(_KINDS[type(request)] for request in requests))


class PicturesWanted(Struct, frozen=True):
    """Which pictures of a page are to be looked at: those that the page calls by one of these names, and with `unnamed`
    those that it calls by none."""

    named: frozenset[str]
    unnamed: bool


def pictures_wanted(requests: Sequence[Request], classes: Collection[str]) -> PicturesWanted:
    """`classes` are the names of those that are known. Of a topic it is those that it names."""
    named = {name for request in requests if isinstance(request, Shown) for name in request.classes}
    for topic in (request for request in requests if isinstance(request, Topical)):
        from whimbrel.topic.counting import WordCounter
        from whimbrel.topic.searching import asked_for

        counter, asked = WordCounter(topic.language), asked_for(topic)
        named |= {name for name in classes if not asked.isdisjoint(counter.forms(name))}
    return PicturesWanted(frozenset(named), any(isinstance(request, Shown) for request in requests))


def convene(requests: Sequence[Request], rule: str = ANY) -> Panel:
    """One judge for each kind that is asked for, and that of languages where the rule names any. A rule that cannot be
    read was refused before anybody set out."""
    judges: list[PageJudge[Any]] = []
    if alike := [request for request in requests if isinstance(request, Alike)]:
        judges.append(AlikeJudge(alike))
    if worded := [request for request in requests if isinstance(request, Worded)]:
        judges.append(WordedJudge(worded))
    if topical := [request for request in requests if isinstance(request, Topical)]:
        # Imported here: it counts words by stemmers, which are in the extra `search`.
        from whimbrel.judges.topical import TopicalJudge

        judges.append(TopicalJudge(topical))
    if shown := [request for request in requests if isinstance(request, Shown)]:
        judges.append(PicturedJudge(shown))
    read = rule_over(requests, rule)
    assert not isinstance(read, Verdict), read.reason
    if codes := {one.code for one in named_in(read) if one.code}:
        judges.append(LanguageJudge(codes))
    return Panel(judges, read, "" if rule in (ANY, ALL) else rule)
