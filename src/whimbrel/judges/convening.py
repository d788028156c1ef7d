"""Which judge answers which kind of request. A new kind is a record in `records.request` and a line here."""

from collections.abc import Sequence
from typing import Any

from whimbrel.judges.alike import AlikeJudge
from whimbrel.judges.judge import PageJudge
from whimbrel.judges.panel import Panel
from whimbrel.judges.rule import Rule, named_in, read_rule
from whimbrel.judges.speaking import LanguageJudge
from whimbrel.judges.worded import WordedJudge
from whimbrel.records.request import ALL, ANY, RULE, TOPIC_RULE, WORDS_RULE, Alike, Request, Topical, Worded
from whimbrel.records.verdict import Verdict

_KINDS = {Alike: RULE, Worded: WORDS_RULE, Topical: TOPIC_RULE}


def rule_over(requests: Sequence[Request], rule: str) -> Rule | Verdict:
    """The rule over the judges of these requests, or what is wrong with it."""
    return read_rule(rule, dict.fromkeys(_KINDS[type(request)] for request in requests))


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
    read = rule_over(requests, rule)
    assert not isinstance(read, Verdict), read.reason
    if codes := {one.code for one in named_in(read) if one.code}:
        judges.append(LanguageJudge(codes))
    return Panel(judges, read, "" if rule in (ANY, ALL) else rule)
