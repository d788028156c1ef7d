"""The five tools, over one folder. Whatever is asked, nothing is changed and nothing private is told."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import Struct

from whimbrel.agents import asked, said
from whimbrel.agents.portion import below, portion, tokens_in
from whimbrel.agents.reading import parts_of, version_named
from whimbrel.exchange.sections import MarkdownSection
from whimbrel.flows.telling.differing import Difference, DifferingPlace, difference
from whimbrel.flows.telling.feed import entries
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.moments import moment_of
from whimbrel.flows.telling.news import choice_of, chosen, degree_of
from whimbrel.flows.telling.saying import OF_SITES, moment, summary
from whimbrel.flows.telling.site_figures import PAGES, site_figures
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import NothingThere, RepositoryError
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Selection, Site, Version, site_of
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import LARGEST_PAGE, Searcher
from whimbrel.search.contract import Answer, Hit
from whimbrel.search.ranked import link_ranks
from whimbrel.urls.normal import normalise

SHOWN_VERSIONS = 20
SHOWN_SECTIONS = 200
SHOWN_TWINS = 5
LONGEST_TITLE = 300
SECONDS_A_DAY = 86_400.0
NOTHING_YET = "Nothing is kept in this folder yet. `whimbrel crawl URL` fills it."


class QuestionRefused(Exception):
    """Why a question has no answer, for the agent to read."""


class Toolbox:
    """Threads may share one."""

    def __init__(self, where: Where, searcher: Callable[[], Searcher], holds_private: Callable[[], bool]) -> None:
        self._where = located(where)
        self._searcher = searcher
        self._holds_private = holds_private

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """The answer as JSON, or what is in the way in words; and whether it is an answer."""
        question = asked.understood(name, arguments)
        if isinstance(question, str):
            return question, False
        try:
            return msgspec.json.encode(self._answer(question)).decode(), True
        except QuestionRefused as refused:
            return str(refused), False
        except NothingThere:
            return NOTHING_YET, False
        except RepositoryError as error:
            return f"The folder cannot be read at the moment: {error}", False

    def _answer(self, question: Struct) -> Struct:
        match question:
            case asked.SearchAsked():
                return self.search(question)
            case asked.ReadAsked():
                return self.read(question)
            case asked.ChangesAsked():
                return self.changes(question)
            case asked.DiffAsked():
                return self.diff(question)
        return self.sites()

    def search(self, question: asked.SearchAsked) -> said.HitsSaid:
        query = parse(question.query)
        if query.empty:
            raise QuestionRefused("the query holds no word to look for and no filter. Ask for words, or for site:HOST.")
        first = (question.page - 1) * question.size
        guarded = self._holds_private()
        # Hits that may not be told leave gaps, which those behind them fill.
        page, size = (1, LARGEST_PAGE) if guarded else (question.page, question.size)
        answer = self._searcher().answer(query, page, size, facets=False)
        with open_reader(self._where) as reader:
            # What is said of a picture may be said by any page that shows it.
            hits = [
                hit for hit in answer.hits if not (reader.has_private(hit.url) or (guarded and hit.type == "image"))
            ]
        if guarded:
            return _hits_said(answer, hits[first : first + question.size], guarded)
        return _hits_said(answer, hits, guarded)

    def read(self, question: asked.ReadAsked) -> said.ReadSaid:
        as_of = _moment(question.as_of) if question.as_of else None
        if question.version is not None and as_of is not None:
            raise QuestionRefused("name a version or a moment (as_of), not both.")
        with self._page(question.url) as (reader, url, versions):
            version = version_named(versions, question.version, as_of)
            if isinstance(version, str):
                raise QuestionRefused(f"{url}: {version}")
            whole = _readable(parts_of(reader, url, version), url)
            parts = whole
            if question.section:
                # A section beside the main part is looked for in all of the page.
                wider = parts_of(reader, url, version, whole=True)
                parts = below(whole, question.section) or below(_readable(wider, url), question.section)
                if not parts:
                    raise QuestionRefused(_no_section(url, question.section, whole))
        return _read_said(question, url, version, versions, whole, parts)

    def changes(self, question: asked.ChangesAsked) -> said.ChangesSaid:
        given = {name: getattr(question, name) for name in ("since", "until", "site", "kind", "degree", "words")}
        choice = choice_of(given, time.time())
        if isinstance(choice, str):
            raise QuestionRefused(choice)
        choice = msgspec.structs.replace(choice, private=False)
        with open_reader(self._where) as reader:
            found = entries(chosen(reader, choice), question.limit + 1)
        told = [_change_said(item) for item in found[: question.limit]]
        return said.ChangesSaid(said.NOTE, told, len(found) > question.limit)

    def diff(self, question: asked.DiffAsked) -> said.DiffSaid:
        with self._page(question.url) as (reader, url, versions):
            after = version_named(versions, question.after, None)
            if isinstance(after, str):
                raise QuestionRefused(f"{url}: {after}")
            older = [version for version in versions if version.number < after.number]
            if question.before is None and not older:
                raise QuestionRefused(f"one version is kept of {url}: there is nothing to compare it with.")
            before = version_named(older or versions, question.before, None)
            if isinstance(before, str) or before.number >= after.number:
                raise QuestionRefused(f"{url}: no version {question.before} before version {after.number} is kept.")
            found = difference(reader, url, before, after)
        if isinstance(found, Failure):
            raise QuestionRefused(found.detail)
        return _diff_said(url, found, question.tokens)

    def sites(self) -> said.SitesSaid:
        with open_reader(self._where) as reader:
            overview = reader.overview()
            figures = site_figures(reader, link_ranks(self._where.beside), time.time())
            if overview.private:
                figures = [one for one in figures if _shows_something(reader, one.host)]
            shown_sites = [site for one in figures if isinstance(site := site_of(one.host), Site)]
        shown = [
            said.AgentSite(
                one.host, int(one.coverage[PAGES].whole), round(one.upkeep.fresh, 3),
                round(one.upkeep.age_seconds / SECONDS_A_DAY, 2),
            )
            for one in figures
        ]  # fmt: skip
        last = moment(overview.last_visit_at) if overview.last_visit_at is not None else ""
        seeds = tuple(seed for seed in overview.seeds if any(site.covers(seed) for site in shown_sites))
        return said.SitesSaid(shown, last, seeds)

    @contextmanager
    def _page(self, text: str) -> Iterator[tuple[Reader, Url, list[Version]]]:
        """A kept page. One that took credentials to read is not known to agents."""
        url = normalise(text)
        if isinstance(url, Verdict):
            raise QuestionRefused(
                f"{text[:200]!r} is no address of a page: {url.reason}. Only web pages that are kept here can be read."
            )
        with open_reader(self._where) as reader:
            versions = reader.versions(url)
            if not versions or reader.has_private(url):
                raise QuestionRefused(f"no copy of {url} is kept here. `search` finds what is.")
            yield reader, url, versions


def _moment(text: str) -> float:
    named = moment_of(text, time.time())
    if named is None:
        raise QuestionRefused(f"as_of {text!r} names no moment. Write 2026-03-01, yesterday, '3 days' or 12h.")
    return named


def _hits_said(answer: Answer, hits: list[Hit], guarded: bool) -> said.HitsSaid:
    """Where private pages are kept neither a count nor a corrected spelling is told: both may come from them."""
    return said.HitsSaid(
        said.NOTE,
        [_hit_said(hit) for hit in hits],
        None if guarded else answer.total,
        "" if guarded else answer.corrected,
        answer.notes,
        answer.pending,
    )


def _hit_said(hit: Hit) -> said.AgentHit:
    text = "".join(piece for piece, _ in hit.snippet).strip()
    reasons = [said.AgentReason(part.name, round(part.points, 4), part.reason) for part in hit.parts if part.points]
    return said.AgentHit(
        url=hit.url,
        score=round(hit.score, 4),
        page_says=said.SectionSays(hit.title[:LONGEST_TITLE], hit.section[:LONGEST_TITLE], text),
        reasons=reasons,
        kept_at=moment(hit.fetched_at),
        type=hit.type,
        language=hit.language,
        anchor=hit.mark,
        changed_at=moment(hit.changed_at) if hit.changed_at is not None else "",
        versions=hit.versions,
        same_text_at=hit.twin_urls,
    )


def _readable(parts: list[MarkdownSection] | str, url: Url) -> list[MarkdownSection]:
    if isinstance(parts, str):
        raise QuestionRefused(f"the kept copy of {url} cannot be read: {parts}")
    return parts


def _no_section(url: Url, wanted: str, parts: list[MarkdownSection]) -> str:
    named = [f"{part.heading[:80]!r} ({part.mark})" if part.mark else repr(part.heading[:80]) for part in parts]
    known = ", ".join(named[:SHOWN_VERSIONS]) or "none"
    return f"{url} has no section {wanted[:100]!r}. Its sections, as the page calls them: {known}"


def _read_said(
    question: asked.ReadAsked, url: Url, version: Version, versions: list[Version], whole: list[MarkdownSection],
    parts: list[MarkdownSection],
) -> said.ReadSaid:  # fmt: skip
    text = "\n\n".join(part.text for part in parts).encode("utf-8", "replace").decode()
    given = portion(text, question.start, question.tokens)
    complete = given.next is None and not question.start and not question.section
    return said.ReadSaid(
        note=said.NOTE,
        url=url,
        version=version.number,
        kept_at=moment(version.at),
        versions=tuple(said.VersionName(each.number, moment(each.at)) for each in versions[-SHOWN_VERSIONS:]),
        page_says=said.PageSays(version.title[:LONGEST_TITLE], given.text),
        next=given.next,
        tokens=tokens_in(given.text),
        tokens_of_all=tokens_in(text),
        sections=() if complete else tuple(_outline(whole)),
    )


def _outline(parts: list[MarkdownSection]) -> Iterator[said.SectionName]:
    for part in [part for part in parts if part.level][:SHOWN_SECTIONS]:
        yield said.SectionName(part.heading[:LONGEST_TITLE], part.level, part.mark, tokens_in(part.text))


def _change_said(item: FoldedChange) -> said.AgentChange:
    told = item.told
    return said.AgentChange(
        url=told.url,
        at=moment(told.at),
        what=told.what,
        page_says=said.WordsSaid(
            title=told.title[:LONGEST_TITLE], summary=summary(told) if told.what == "changed" else ""
        ),
        degree=degree_of(told) or "",
        kinds=tuple(kind for kind in told.kinds.split(",") if kind),
        before=told.before,
        after=told.after,
        moved_to=told.target or "",
        reason=summary(told) if told.what in OF_SITES else told.reason,
        also_on=item.also_on[:SHOWN_TWINS],
    )


def _diff_said(url: Url, found: Difference, tokens: int) -> said.DiffSaid:
    places: list[said.DifferingSaid] = []
    left, shown = tokens, 0
    for place in found.counted:
        told = list(_place_said(place))
        left -= sum(tokens_in(one.page_says.before) + tokens_in(one.page_says.after) for one in told)
        if left < 0 and places:
            break
        places += told
        shown += 1
    before, after = (said.VersionName(one.number, moment(one.at)) for one in (found.before, found.after))
    return said.DiffSaid(
        said.NOTE, url, before, after, found.change.changed, round(found.change.amount, 4), found.change.kinds, places,
        len(found.held), len(found.counted) - shown, found.note,
    )  # fmt: skip


def _place_said(place: DifferingPlace) -> Iterator[said.DifferingSaid]:
    for aspect in place.spot.aspects:
        if aspect.before or aspect.after:
            words = said.WordsSaid(place=place.spot.place, before=aspect.before, after=aspect.after)
            yield said.DifferingSaid(place.spot.what, aspect.what, words)


def _shows_something(reader: Reader, host: str) -> bool:
    site = site_of(host)
    kept = ("fetched", "unchanged")
    return isinstance(site, Site) and reader.count(Selection(site=site, private=False, outcomes=kept)) > 0
