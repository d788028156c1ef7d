"""What can be done for a reader to whom an answer was not enough: which kinds of pages the best answers are of, what is
here of them already, where more of them could be, and what fetching those would take.

Nothing is fetched and nothing is written here.
"""

import os
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from whimbrel.api.briefing import brief_for
from whimbrel.config import Settings, load
from whimbrel.fetch.guard import is_loopback
from whimbrel.flows.copies import kept_copy
from whimbrel.migrants.judge import UrlJudge
from whimbrel.parse import html
from whimbrel.parse.outline import upper
from whimbrel.records.outline import Step
from whimbrel.records.request import RULE, Alike
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.records.visit import Outcome
from whimbrel.records.wish import SoughtKind
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import LaneCounts, ListedUrl, Selection, Site
from whimbrel.structure.example import MOST_ELEMENTS, ExamplePage, judge_example
from whimbrel.structure.ground import FEWEST, Ground
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.shape import DEEPEST, Shape, Shaper
from whimbrel.urls.normal import host as host_of

TOP = 5
"""Answers whose kinds are sought."""
EXAMPLES = 5
"""Of a kind: where fewer of the best answers are of it, the kept pages that are most like them show it too."""
OF_THE_SITE = 1_000
OTHER_SITES = 20
OF_ANOTHER = 30
"""Pages that are looked at: of the sites of the best answers, and of so many others; some seconds of work."""
QUICK_SECONDS = 0.05
"""That a page takes where nobody asks to be spared."""

Barred = Callable[[Url], str]

_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)


class KindHere(Struct, frozen=True):
    """A kind of the best answers, and the kept pages of it among those looked at, by host."""

    sought: SoughtKind
    pages: tuple[ListedUrl, ...]
    hosts: dict[str, int]


class AskedSite(Struct, frozen=True):
    """A host where pages of the kinds could be: `waiting` are known there and were not asked for yet. `why_not` says
    which rule keeps it out, "" where none does."""

    host: str
    waiting: int
    delay_seconds: float
    why_not: str = ""


class Proposal(Struct, frozen=True):
    """The kinds, the rarest first; the sites, those first where the kinds are surest; what may be spent and about how
    long it takes. Without sites `why_none` says why nothing can be fetched."""

    kinds: tuple[KindHere, ...] = ()
    sites: tuple[AskedSite, ...] = ()
    barred: tuple[AskedSite, ...] = ()
    visits: int = 0
    seconds: float = 0.0
    why_none: str = ""

    @property
    def pages(self) -> tuple[ListedUrl, ...]:
        """What is here of the kinds."""
        return tuple({one.url: one for kind in self.kinds for one in kind.pages}.values())


def folder_settings(reader: Reader, networks: Sequence[str] = ()) -> Settings:
    """Those by which the folder is crawled on."""
    stored = reader.recall("settings")
    flags = {"fetch.allow_networks": list(networks)} if networks else {}
    return load(None, os.environ, flags, stored if isinstance(stored, dict) else None)


def propose(
    reader: Reader, best: Sequence[Url], settings: Settings, visits: int, barred: Barred = lambda url: ""
) -> Proposal:
    """What "not enough" comes to for these answers, the best first, with so many visits to spend. `barred` says why a
    site may not be asked by whoever asks, "" where it may."""
    looking = _Looking(reader)
    kinds = looking.kinds(best[:TOP])
    if not kinds:
        return Proposal(why_none="The best answers show no kind of page by which others could be found.")
    sites = _sites(reader, kinds, settings, barred)
    open_to_us = tuple(site for site in sites if not site.why_not and site.waiting)
    kept_out = tuple(site for site in sites if site.why_not)
    if not open_to_us or not visits:
        return Proposal(tuple(kinds), (), kept_out, why_none=_why_none(sites, visits))
    each = -(-visits // len(open_to_us))
    seconds = max(each * max(QUICK_SECONDS, site.delay_seconds) for site in open_to_us)
    return Proposal(tuple(kinds), open_to_us, kept_out, visits, seconds)


def _why_none(sites: Sequence[AskedSite], visits: int) -> str:
    if not visits:
        return "Nothing more is fetched today."
    if all(site.why_not for site in sites):
        return "More of this kind cannot be fetched: " + "; ".join(f"{site.host}: {site.why_not}" for site in sites)
    return "Every page that is known on these sites was asked for already. A new site is added in the crawl room."


def _sites(reader: Reader, kinds: Sequence[KindHere], settings: Settings, barred: Barred) -> list[AskedSite]:
    lanes = {lane.host: lane for lane in reader.lanes()}
    judge = UrlJudge(brief_for(settings, reader.seeds(), []))
    shown = {host_of(url): url for kind in reversed(kinds) for url in kind.sought.examples}
    for kind in kinds:
        for page in kind.pages:
            shown.setdefault(host_of(page.url), page.url)
    hosts = sorted(shown, key=lambda host: -sum(kind.hosts.get(host, 0) for kind in kinds))
    return [
        AskedSite(host, 0, 0.0, why_not)
        if (why_not := _why_not(judge(shown[host])) or barred(shown[host]))
        else _site(reader, lanes.get(host), host, settings)
        for host in hosts
    ]


def _why_not(verdict: Verdict) -> str:
    return "" if verdict.accepted else f"{verdict.reason} (rule {verdict.rule})"


def _site(reader: Reader, lane: LaneCounts | None, host: str, settings: Settings) -> AskedSite:
    shelved = reader.count(Selection((Outcome.REFUSED,), (RULE,), Site(host)))
    own = next((one.delay_seconds for one in settings.site if one.host == host), None)
    given = settings.fetch.delay_seconds if own is None else own
    usual = 0.0 if host == "localhost" or is_loopback(host) else 1.0
    return AskedSite(host, (lane.due if lane is not None else 0) + shelved, usual if given is None else given)


class _Looking:
    """Looks at kept pages, each once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._shaper = Shaper()
        self._grounds: dict[str, tuple[list[tuple[ListedUrl, Shape]], Ground]] = {}

    def kinds(self, best: Sequence[Url]) -> list[KindHere]:
        """The kinds of these pages, the rarest first."""
        shown = [(url, shape) for url in best if isinstance(shape := self._example(url), Shape)]
        groups: list[list[tuple[Url, Shape]]] = []
        for url, shape in shown:
            own = next((group for group in groups if self._is_like(group, url, shape)), None)
            if own is None:
                groups.append([(url, shape)])
            else:
                own.append((url, shape))
        hosts = list(dict.fromkeys(host_of(url) for url, _ in shown))
        found = [self._found(group, hosts) for group in groups]
        # A page that nothing here is like shows no kind: held against pages of kinds not met yet, it would take them.
        kinds = [kind for kind in found if kind.sought.kept >= FEWEST]
        return sorted(kinds or found, key=lambda kind: kind.sought.kept)

    def _is_like(self, group: Sequence[tuple[Url, Shape]], url: Url, shape: Shape) -> bool:
        _, ground = self._site(host_of(url))
        return KindLikeness([one for _, one in group], ground).judge(shape).alike

    def _found(self, group: Sequence[tuple[Url, Shape]], hosts: Sequence[str]) -> KindHere:
        examples = [shape for _, shape in group]
        found: list[tuple[float, ListedUrl]] = []
        counts: dict[str, int] = {}
        for host in [*hosts, *self._others(hosts)]:
            pages, ground = self._site(host, OF_THE_SITE if host in hosts else OF_ANOTHER)
            likeness = KindLikeness(examples, ground)
            judged = [(page, likeness.judge(shape)) for page, shape in pages]
            alike = [(one.similarity, page) for page, one in judged if one.alike]
            # On another site a page or two that happen to be alike are no kind.
            if host in hosts or len(alike) >= FEWEST:
                found += alike
                counts[host] = len(alike)
        found.sort(key=lambda one: -one[0])
        shown = [url for url, _ in group]
        alike_most = [page.url for _, page in found if page.url not in shown and host_of(page.url) in hosts]
        sought = SoughtKind((*shown, *alike_most[: max(0, EXAMPLES - len(shown))]), len(found))
        return KindHere(sought, tuple(page for _, page in found), counts)

    def _others(self, hosts: Sequence[str]) -> list[str]:
        lanes = sorted(self._reader.lanes(), key=lambda lane: (-lane.due, lane.host))
        return [lane.host for lane in lanes if lane.kept >= FEWEST and lane.host not in hosts][:OTHER_SITES]

    def _site(self, host: str, most: int = OF_THE_SITE) -> tuple[list[tuple[ListedUrl, Shape]], Ground]:
        known = self._grounds.get(host)
        if known is None:
            pages = list(self._shapes(host, most))
            known = self._grounds[host] = (pages, Ground([shape for _, shape in pages]))
        return known

    def _shapes(self, host: str, most: int) -> Iterator[tuple[ListedUrl, Shape]]:
        """Of pages spread over all that are kept of a site."""
        kept = Selection(_KEPT, site=Site(host), assets=False)
        every = max(1, self._reader.count(kept) // most)
        for at, page in enumerate(one for one in self._reader.urls(kept) if "html" in one.mime):
            if at % every == 0 and (steps := outline(self._reader, page.url)) is not None:
                yield page, self._shaper.shape(steps)

    def _example(self, url: Url) -> Shape | Verdict:
        listed = self._reader.one(url)
        if listed is None or listed.outcome not in _KEPT or "html" not in listed.mime:
            return refused("not_kept", f"no web page is kept of {url}")
        copy = kept_copy(self._reader.body(url))
        if copy is None:
            return refused("damaged", f"the kept copy of {url} cannot be read")
        content_type = copy.content_type or listed.mime
        characters = len(html.read(copy.body, content_type).text)
        return judge_example(ExamplePage(url, 0, upper(copy.body, content_type, DEEPEST), characters), self._shaper)


def outline(reader: Reader, url: Url) -> list[Step] | None:
    """The elements of a kept page, None where its copy cannot be read."""
    copy = kept_copy(reader.body(url))
    return None if copy is None else upper(copy.body, copy.content_type or "text/html", DEEPEST)


def requests_of(reader: Reader, kinds: Sequence[SoughtKind]) -> tuple[Alike, ...]:
    """The kinds as migrants are given them; one whose examples are gone is left out. How rare each is among the pages
    that are kept decides what comes first."""
    pages = reader.counts().pages
    requests = []
    for number, kind in enumerate(kinds):
        shown = [(url, steps) for url in kind.examples if (steps := _kept_outline(reader, url)) is not None]
        if shown:
            names, outlines = [url for url, _ in shown], [steps[:MOST_ELEMENTS] for _, steps in shown]
            requests.append(Alike(number, list(names), outlines, known=kind.kept, pages=pages))
    return tuple(requests)


def _kept_outline(reader: Reader, url: Url) -> list[Step] | None:
    listed = reader.one(url)
    return outline(reader, url) if listed is not None and listed.outcome in _KEPT else None
