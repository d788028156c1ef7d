"""What the JSON interface answers: the records that both the answers and their description are made from."""

from typing import Annotated

from msgspec import Meta, Struct

from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.news import degree_of
from whimbrel.flows.telling.saying import summary
from whimbrel.flows.telling.site_figures import SiteFigures
from whimbrel.records.change import Spot
from whimbrel.records.url import Url
from whimbrel.repository.views import Overview, Version
from whimbrel.search.contract import Answer, Hit
from whimbrel.web.crawls import ShownProgress
from whimbrel.web.plain import PlainBlock
from whimbrel.web.presentation import iso

Moment = Annotated[str, Meta(description="UTC, ISO 8601", examples=["2026-11-16T03:00:00Z"])]


class ScorePart(Struct, frozen=True):
    name: str
    value: float
    weight: float
    points: float
    reason: str


class SnippetPiece(Struct, frozen=True):
    text: str
    marked: bool


class SearchHit(Struct, frozen=True):
    url: Url
    title: str
    snippet: list[SnippetPiece]
    site: str
    type: str
    language: str
    fetched_at: Moment
    modified_at: Moment
    changed_at: Moment | None
    versions: int
    twins: int
    twin_urls: list[Url]
    score: float
    parts: list[ScorePart]
    section: Annotated[str, Meta(description="of a long page, the heading of the part that answers")]
    section_url: Annotated[str, Meta(description='the address of that part, or ""')]
    linked_from: Annotated[
        Url | None, Meta(description="of a picture the page that shows it, of a document one that links to it")
    ]


class FacetCount(Struct, frozen=True):
    value: str
    count: int


class SearchFacet(Struct, frozen=True):
    name: str
    values: list[FacetCount]


class SearchedElsewhere(Struct, frozen=True):
    url: Url
    title: str
    about: str
    site: str
    place: Annotated[str, Meta(description="where it was read, and its body is")]
    revoked: Annotated[bool, Meta(description="that place was turned away since: its site is asked for the body")]
    read_at: Moment
    score: float


class SearchAnswer(Struct, frozen=True):
    query: str
    corrected: str
    page: int
    size: int
    total: int
    pending: int
    notes: list[str]
    took_ms: float
    hits: list[SearchHit]
    facets: list[SearchFacet]
    elsewhere: Annotated[
        list[SearchedElsewhere], Meta(description="pages that are not here, found by an index entry alone")
    ]


class PageVersion(Struct, frozen=True):
    number: int
    kept_at: Moment
    status: int
    type: str
    title: str
    language: str
    size: int
    digest: str
    told: bool
    """False where it differs from the version before it by noise, or by what nobody reads."""


class PageAnswer(Struct, frozen=True):
    url: Url
    title: str
    outcome: str
    rule: str
    reason: str
    status: int
    depth: int
    duplicate_of: Url | None
    leads_to: Url | None
    twins: list[Url]
    versions: list[PageVersion]
    shown: int
    clicked: int
    favourite: bool


class TextAnswer(Struct, frozen=True):
    url: Url
    version: int
    blocks: list[PlainBlock]


class LinkAnswer(Struct, frozen=True):
    url: Url
    text: str
    state: str


class LinksAnswer(Struct, frozen=True):
    url: Url
    out: list[LinkAnswer]
    out_all: int
    into: list[LinkAnswer]
    looked_through: int
    pages: int


class ChangeAnswer(Struct, frozen=True):
    url: Url
    before: int
    after: int
    changed: bool
    kinds: list[str]
    amount: float
    where: list[Spot]
    noise: list[Spot]


class ChangedPage(Struct, frozen=True):
    url: Url
    title: str
    changed_at: Moment
    what: str
    kinds: list[str]
    degree: str | None
    amount: float
    summary: Annotated[str, Meta(description="-[words that went] +[words that came]")]
    version: int | None
    previous: int | None
    target: Url | None
    also_on: Annotated[list[Url], Meta(description="pages that changed only because of this one")]
    id: str
    seen: bool
    silenced: Annotated[int | None, Meta(description="the number of the silence that covers it")]


class ChangedAnswer(Struct, frozen=True):
    days: int
    pages: list[ChangedPage]


class HostCount(Struct, frozen=True):
    host: str
    known: int
    kept: int
    due: int


class RuleCount(Struct, frozen=True):
    outcome: str
    rule: str
    count: int


class TrapCount(Struct, frozen=True):
    reason: str
    urls: int
    example: Url
    rule: str


class CoveredShare(Struct, frozen=True):
    """Counted: of `whole` (pages, or their weight by links) the shares that sitemaps list and that links lead to."""

    whole: float
    by_sitemap: float
    by_links: float


class SiteStatus(Struct, frozen=True):
    """Coverage is counted, over "pages", "unique" and "indexed" ones and "rank" (their weight, by PageRank or by links
    counted: `weighed_by`). What begins with `estimated` is worked out from how often each of `sample` pages changes;
    `seen_again`, `found_as_kept` and `announced` are what visits and sitemaps told."""

    host: str
    weighed_by: str
    coverage: dict[str, CoveredShare]
    classes: dict[str, int]
    sample: int
    estimated_fresh: float
    estimated_age_seconds: float
    seen_again: int
    found_as_kept: int
    announced: int


class StatusAnswer(Struct, frozen=True):
    known: int
    pages: int
    states: dict[str, int]
    bytes: dict[str, int]
    due: int
    seeds: list[Url]
    rules: list[RuleCount]
    traps: list[TrapCount]
    hosts: list[HostCount]
    last_visit_at: Moment | None
    sites: list[SiteStatus]


class CrawlAnswer(Struct, frozen=True):
    running: bool
    progress: ShownProgress | None


class CrawlWish(Struct, frozen=True):
    url: str
    limit: int | None = None
    depth: int | None = None
    delay: float | None = None
    scope: str = "host"
    assets: bool = False
    topic: str = ""
    examples: tuple[str, ...] = ()


class FavouriteAnswer(Struct, frozen=True):
    url: Url
    title: str
    at: Moment


class FavouritesAnswer(Struct, frozen=True):
    favourites: list[FavouriteAnswer]


class Done(Struct, frozen=True):
    ok: bool


class Problem(Struct, frozen=True):
    error: Annotated[str, Meta(description="for a person to read")]


def search_answer(answer: Answer) -> SearchAnswer:
    return SearchAnswer(
        query=answer.query.text,
        corrected=answer.corrected,
        page=answer.page,
        size=answer.size,
        total=answer.total,
        pending=answer.pending,
        notes=list(answer.notes),
        took_ms=round(answer.took_ms, 3),
        hits=[_hit(hit) for hit in answer.hits],
        facets=[SearchFacet(each.name, [FacetCount(*value) for value in each.values]) for each in answer.facets],
        elsewhere=[
            SearchedElsewhere(hit.url, hit.title, hit.about, hit.site, hit.place, hit.revoked, iso(hit.at), hit.score)
            for hit in answer.elsewhere
        ],
    )


def _hit(hit: Hit) -> SearchHit:
    return SearchHit(
        url=hit.url,
        title=hit.title,
        snippet=[SnippetPiece(text, marked) for text, marked in hit.snippet],
        site=hit.site,
        type=hit.type,
        language=hit.language,
        fetched_at=iso(hit.fetched_at),
        modified_at=iso(hit.modified_at),
        changed_at=iso(hit.changed_at) if hit.changed_at is not None else None,
        versions=hit.versions,
        twins=hit.twins,
        twin_urls=list(hit.twin_urls),
        score=hit.score,
        parts=[ScorePart(part.name, part.value, part.weight, part.points, part.reason) for part in hit.parts],
        section=hit.section,
        section_url=f"{hit.url}#{hit.mark}" if hit.mark else "",
        linked_from=hit.linked_from,
    )


def changed_page(item: FoldedChange) -> ChangedPage:
    told = item.told
    return ChangedPage(
        told.url, told.title, iso(told.at), told.what, [kind for kind in told.kinds.split(",") if kind],
        degree_of(told), told.amount, summary(told), told.after, told.before, told.target, list(item.also_on),
        item.id, item.seen, item.silenced or None,
    )  # fmt: skip


def version_answer(version: Version) -> PageVersion:
    return PageVersion(
        version.number,
        iso(version.at),
        version.status,
        version.mime,
        version.title,
        version.language,
        version.size,
        f"sha256:{version.digest.hex()}",
        version.told,
    )


def _site_status(site: SiteFigures) -> SiteStatus:
    upkeep = site.upkeep
    return SiteStatus(
        host=site.host,
        weighed_by=site.weighed_by,
        coverage={over: CoveredShare(one.whole, one.by_sitemap, one.by_links) for over, one in site.coverage.items()},
        classes=site.classes,
        sample=upkeep.sample,
        estimated_fresh=upkeep.fresh,
        estimated_age_seconds=upkeep.age_seconds,
        seen_again=upkeep.seen_again,
        found_as_kept=upkeep.found_as_kept,
        announced=upkeep.announced,
    )


def status_answer(overview: Overview, hosts: list[HostCount], sites: list[SiteFigures]) -> StatusAnswer:
    return StatusAnswer(
        known=overview.counts.known,
        pages=overview.counts.pages,
        states=overview.counts.states,
        bytes=overview.counts.bytes,
        due=overview.due,
        seeds=list(overview.seeds),
        rules=[RuleCount(*rule) for rule in overview.rules],
        traps=[TrapCount(trap.reason, trap.urls, trap.example, trap.rule) for trap in overview.traps],
        hosts=hosts,
        last_visit_at=iso(overview.last_visit_at) if overview.last_visit_at is not None else None,
        sites=[_site_status(site) for site in sites],
    )
