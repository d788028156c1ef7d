"""Bad links of a folder, with the pages that hold them."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from msgspec import Struct

from whimbrel.flows.linking.fragments import dangling
from whimbrel.flows.linking.probing import SoftPages
from whimbrel.flows.linking.standing import LED_ASTRAY, SOFT, BadKind, BadStanding, standing, where_it_ends
from whimbrel.flows.packing import unpack
from whimbrel.flows.refresh.absent import missing
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import NothingThere
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import ListedUrl, Selection, Site, StoredPage
from whimbrel.urls.normal import key as key_of

HOLDING = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE)
OUTSIDE = (Outcome.OUT_OF_SCOPE,)


class LinkHolder(Struct, frozen=True):
    """A page that has a link, and the words that link."""

    page: Url
    words: str


class BadLink(Struct):
    """`since` is the visit that first missed it where it was kept here, else when it was first met, None where nobody
    knows; `copy_at` is when our copy of it was kept, `copy` its version, both None where there is none."""

    url: Url
    kind: BadKind
    reason: str
    leads_to: Url | None
    since: float | None
    copy: int | None
    copy_at: float | None
    holders: list[LinkHolder]


class LinksLookedAt(Struct):
    """`links` counts distinct addresses that pages link to, `unasked` those of them that nobody asked, by why."""

    pages: int = 0
    links: int = 0
    unasked: dict[str, int] = {}


class LinkReport(Struct, frozen=True):
    bad: list[BadLink]
    looked_at: LinksLookedAt


def bad_links(
    reader: Reader, elsewhere: Reader | None, soft: SoftPages, kinds: Collection[BadKind], site: Site | None
) -> LinkReport:
    """Links on pages of the site, to wherever they lead; `elsewhere` holds what was asked for links alone."""
    standings = _standings(reader, elsewhere, soft)
    found: dict[Url, BadLink] = {}
    seen: set[int] = set()
    looked_at = LinksLookedAt()
    for page in _pages(reader, site):
        looked_at.pages += 1
        reading = unpack(page.reading)
        for url, words in zip(reading.urls, reading.anchors, strict=False):
            seen.add(key_of(url))
            bad = standings.get(url)
            if bad is not None and bad.kind in kinds and url != page.url:
                found.setdefault(url, _begun(url, bad)).holders.append(LinkHolder(page.url, words))
    looked_at.links = len(seen)
    looked_at.unasked = _unasked(reader, elsewhere, seen)
    links = [_dated(link, reader, elsewhere, _since(reader)) for link in found.values()] if found else []
    if "fragment" in kinds:
        links += _fragments(reader, site)
    return LinkReport(sorted(links, key=lambda link: (-len(link.holders), link.url)), looked_at)


def linked_outside(reader: Reader, site: Site | None) -> list[Url]:
    """Addresses that pages link to and that no crawl of the folder asks for, those met first in front."""
    outside = {listed.url for listed in reader.urls(Selection(outcomes=OUTSIDE))}
    urls = (url for page in _pages(reader, site) for url in unpack(page.reading).urls)
    return list(dict.fromkeys(url for url in urls if url in outside))


def _pages(reader: Reader, site: Site | None) -> Iterator[StoredPage]:
    return (page for page in reader.pages(Selection(outcomes=HOLDING, site=site)) if page.reading)


def _standings(reader: Reader, elsewhere: Reader | None, soft: SoftPages) -> dict[Url, BadStanding]:
    found: dict[Url, BadStanding] = {}
    for source, also in ((elsewhere, reader), (reader, elsewhere)):
        if source is not None:
            found |= _of_one(source, also)
    for url, reason in soft.items():
        found.setdefault(url, BadStanding("soft", reason))
    for absent in missing(reader):
        found.setdefault(absent.url, BadStanding("missing", f"{absent.reason}; asked again before it counts as gone"))
    return found


def _of_one(source: Reader, also: Reader | None) -> dict[Url, BadStanding]:
    def known(url: Url) -> ListedUrl | None:
        here = source.one(url)
        there = also.one(url) if also is not None and (here is None or here.outcome in OUTSIDE) else None
        return there or here

    def target_of(url: Url) -> Url | None:
        for reader in (source, also):
            with suppress(NothingThere):
                if reader is not None and (target := reader.detail(url).target) is not None:
                    return target
        return None

    found = {}
    for chosen in (Selection(outcomes=LED_ASTRAY, assets=False), Selection(rules=(SOFT,), assets=False)):
        for listed in source.urls(chosen):
            led_on = listed.outcome == Outcome.REDIRECTED
            bad = where_it_ends(listed, target_of, known) if led_on else standing(listed)
            if bad is not None:
                found[listed.url] = bad
    return found


def _begun(url: Url, bad: BadStanding) -> BadLink:
    return BadLink(url, bad.kind, bad.reason, bad.leads_to, None, None, None, [])


def _since(reader: Reader) -> dict[Url, float]:
    """When each page that was kept here was told to be gone or moved; where it is waited for, when it was missed."""
    told = {one.url: one.at for one in reader.since(0.0) if one.what in ("gone", "moved")}
    return told | {absent.url: absent.since for absent in missing(reader)}


def _dated(link: BadLink, reader: Reader, elsewhere: Reader | None, since: dict[Url, float]) -> BadLink:
    versions = reader.versions(link.url)
    if versions:
        link.copy, link.copy_at = versions[-1].number, versions[-1].at
    link.since = since.get(link.url)
    if link.since is None:
        asked = (source.one(link.url) for source in (elsewhere, reader) if source is not None)
        link.since = next((one.found_at for one in asked if one is not None and one.visited_at is not None), None)
    return link


def _unasked(reader: Reader, elsewhere: Reader | None, seen: Collection[int]) -> dict[str, int]:
    """Of what is linked to, what nobody asked: outside the folder's scope, refused by robots.txt, still waiting."""
    counts: dict[str, int] = {}
    asked = set()
    if elsewhere is not None:
        asked = {one.key for one in elsewhere.urls() if one.outcome not in (*OUTSIDE, Outcome.DISCOVERED)}
    for listed in reader.urls(Selection(outcomes=(*OUTSIDE, Outcome.DISCOVERED, Outcome.REFUSED))):
        if listed.key in seen and listed.key not in asked and listed.visited_at is None:
            why = listed.rule or "waiting"
            counts[why] = counts.get(why, 0) + 1
    return counts


def _fragments(reader: Reader, site: Site | None) -> Iterable[BadLink]:
    found: dict[Url, BadLink] = {}
    for one in dangling(reader, site):
        url = Url(f"{one.target}#{one.fragment}")
        link = found.setdefault(url, _begun(url, BadStanding("fragment", f"the page has no place #{one.fragment}")))
        link.holders.append(LinkHolder(one.page, one.words))
    for link in found.values():
        versions = reader.versions(Url(link.url.partition("#")[0]))
        if versions:
            link.copy, link.copy_at, link.since = versions[-1].number, versions[-1].at, versions[-1].at
    return found.values()
