"""Which judge answers which kind of request. A new kind is a record in `records.request` and a line here."""

from collections.abc import Sequence
from typing import Any

from whimbrel.judges.alike import AlikeJudge
from whimbrel.judges.judge import PageJudge
from whimbrel.judges.panel import Panel
from whimbrel.judges.worded import WordedJudge
from whimbrel.records.request import ANY, Alike, Request, Topical, Worded


def convene(requests: Sequence[Request], rule: str = ANY) -> Panel:
    """One judge for each kind that is asked for."""
    judges: list[PageJudge[Any]] = []
    if alike := [request for request in requests if isinstance(request, Alike)]:
        judges.append(AlikeJudge(alike))
    if worded := [request for request in requests if isinstance(request, Worded)]:
        judges.append(WordedJudge(worded))
    if topical := [request for request in requests if isinstance(request, Topical)]:
        # Imported here: it counts words by stemmers, which are in the extra `search`.
        from whimbrel.judges.topical import TopicalJudge

        judges.append(TopicalJudge(topical))
    return Panel(judges, rule)
