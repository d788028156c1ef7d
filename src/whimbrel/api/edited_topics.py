"""Terms that were edited in the browser while a crawl for their topic runs: the request that takes its place.

It stands in the folder as it would after the next run had taken the terms (`api.asking`): the former is withdrawn, its
pages stay. So a kill between any two of these steps is made good by that run.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from whimbrel.api.edited_terms import saved_terms, uses
from whimbrel.api.seeds import SeedError
from whimbrel.flows.requests import as_sent, as_stored
from whimbrel.migrants.wire.messages import Brief
from whimbrel.records.request import Topical
from whimbrel.repository.contract import WITHDRAWN, Enquiry
from whimbrel.repository.port.writer import Writer
from whimbrel.topic.asking import table_of
from whimbrel.topic.counting import WordCounter
from whimbrel.topic.searching import PAPER, unscored
from whimbrel.topic.termfile import TermFile

NOT_LOOKED_FOR = "this run does not look for pages about {topic!r}, or has found enough"
BY_FILE = "this run takes its terms from the file of --terms: edit that one, and begin a run with it"
BY_THE_PAPER = "the papers' formula needs to know what the examples score by them, which is found out when a run begins"
NO_KEYWORDS = "what is saved has no keywords any more"


class EditedTopics:
    """`remember` notes which requests have seen the pages that are refused; `file` is that of `--terms`."""

    def __init__(self, store: Writer, remember: Callable[[Sequence[Enquiry]], None], file: str) -> None:
        self._store = store
        self._remember = remember
        self._file = file

    def fault(self, topic: str, requests: Sequence[Enquiry]) -> str:
        found = self._found(topic, requests)
        if found is None:
            return NOT_LOOKED_FOR.format(topic=topic)
        if self._file:
            return BY_FILE
        if found[1].scorer == PAPER:
            return BY_THE_PAPER
        try:
            return "" if self._terms(topic) is not None else NO_KEYWORDS
        except SeedError as error:
            return str(error)

    def taken(self, topic: str, requests: Sequence[Enquiry], brief: Brief, now: float) -> tuple[list[Enquiry], Brief]:
        """As they are saved by now; unchanged where they cannot be used any more."""
        found = self._found(topic, requests)
        try:
            terms = self._terms(topic)
        except SeedError:
            terms = None
        if found is None or terms is None or uses(found[1], terms):
            return list(requests), brief
        kept, request = found
        edited = _edited(request, terms)
        most = None if kept.most is None else max(1, kept.most - kept.found)
        self._store.requests.end(kept.number, WITHDRAWN, now)
        number = self._store.requests.add(kept.examples, as_stored(replace(edited, number=0)), most, now)
        sent = replace(edited, number=number, known=0)
        open_now = {one.number: one for one in self._store.requests.open()}
        return (
            [open_now[number] if one.number == kept.number else one for one in requests],
            replace(brief, requests=[sent if one.number == kept.number else one for one in brief.requests]),
        )

    def judged_by(self, requests: Sequence[Enquiry]) -> None:
        self._remember(requests)

    def _terms(self, topic: str) -> TermFile | None:
        return saved_terms(self._store.location.beside, topic)

    def _found(self, topic: str, requests: Sequence[Enquiry]) -> tuple[Enquiry, Topical] | None:
        asked = ((one, as_sent(one, self._store.pages)) for one in requests)
        return next(((one, sent) for one, sent in asked if isinstance(sent, Topical) and sent.topic == topic), None)


def _edited(request: Topical, terms: TermFile) -> Topical:
    """The request with the terms as they were edited. What was learned of links and of words stays; what pages score
    by other terms is found out anew."""
    language = terms.language or request.language
    keywords = [(one.form, one.weight, one.of) for one in table_of(terms.keywords, WordCounter(language))]
    threshold = terms.threshold or request.threshold
    return replace(
        request, language=language, keywords=keywords, threshold=threshold, wanted=unscored(request.wanted)
    )  # fmt: skip
