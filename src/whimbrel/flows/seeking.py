"""A crawl for pages of some kinds, as the migrant does it: every page is held against the requests where it is.

The judges are fitted anew as pages come in: how alike pages of a kind are shows only beside the site's other pages.
Pages that did not match wait on a bounded shelf; a judge that has learned, and the next request, look there first.
"""

from collections import deque
from collections.abc import Callable, Sequence
from operator import attrgetter

from msgspec import Struct, structs
from turbohtml import Element

from whimbrel.flows.shelf import Shelf, Shelved
from whimbrel.parse.places import Plan, read
from whimbrel.records.page import Page
from whimbrel.records.request import RULE, Fitted, Request
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.records.visit import Link, Visit
from whimbrel.structure.driver import Driver, Seen
from whimbrel.structure.example import judge_site
from whimbrel.structure.leads import Link as Lead
from whimbrel.structure.leads import Traits, rarity
from whimbrel.structure.likeness import Likeness
from whimbrel.structure.prospects import Prospects
from whimbrel.structure.shape import DEEPEST, Shape, Shaper, signature
from whimbrel.structure.wanted import Wanted, decode, encode, of_any_page

FITTED_AT = (20, 50, 100, 200, 400, 800)
"""Pages seen when the judge is fitted anew; after that the sample is large enough."""

ENOUGH_TO_TELL = 100
SAMPLE = 1_000
REMEMBERED = 50_000
LESSONS = 20
"""Links to pages fetched before that are looked at, of each page."""

Resolve = Callable[[str], tuple[Url, int] | None]


class Look(Struct, frozen=True):
    """A page as the requests see it: whether and for which it is kept, and what shows at its links."""

    verdict: Verdict
    numbers: list[int]
    shape: Shape
    links: dict[int, Traits]


class Seeker:
    """Judges, learns and chooses for the requests of a brief."""

    def __init__(self, requests: Sequence[Request], shelf: Shelf | None = None) -> None:
        self._driver = Driver()
        self._shelf = shelf if shelf is not None else Shelf()
        self._shaper = Shaper()
        self._prospects: Prospects[Task] = Prospects(attrgetter("key"), self._promise)
        self._requests = {request.number: request for request in requests}
        self._examples = {
            request.number: [self._shaper.shape(steps) for steps in request.examples] for request in requests
        }
        self._sample: list[Shape] = []
        self._seen = 0
        self._one_template = False
        self._traits: dict[int, Traits] = {}
        self._told: set[int] = set()
        self._recovered: list[Visit] = []
        self._fits: list[Fitted] = []
        self._notes: list[str] = []
        for request in requests:
            self._driver.want(_as_before(request) or self._fitted(request))
            self._driver.show(map(Url, request.names))

    # Pages.

    def read(self, body: bytes, content_type: str, assets: bool) -> tuple[Page, Plan]:
        return read(body, content_type, DEEPEST, assets=assets)

    def look(self, task: Task, plan: Plan, resolve: Resolve) -> Look:
        shape = self._shaper.shape(plan.steps)
        seen = self._driver.judge(shape)
        followed = self._traits.pop(task.key, None)
        links, lessons = self._links(plan, signature(shape), resolve)
        self._driver.take_in(task.key, seen, followed, links.values(), lessons)
        if self._learn(shape, task.key):
            seen = self._driver.judge(shape)
        return Look(_verdict(seen), list(seen.numbers), shape, links)

    def scored(self, links: list[Link], look: Look) -> list[Link]:
        """The links that home hears of, with what they promise."""
        score, known = self._driver.leads.score, look.links
        return [structs.replace(link, score=score(known[link.key])) if link.key in known else link for link in links]

    def by_promise(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks at hand, those whose links promise most first."""
        return self._prospects.ordered(tasks, self._seen)

    def freshen(self, queue: deque[Task]) -> None:
        """Before a task is taken: what has been learned since they were put in order counts."""
        self._prospects.freshen(queue, self._seen)

    def done(self, number: int) -> None:
        """A request has all it asked for."""
        self._driver.done(number)
        self._requests.pop(number, None)

    # The shelf.

    def shelve(self, look: Look, visit: Visit) -> None:
        """A page that nobody asked for yet; home hears that it is refused."""
        if self._shelf.put(look.shape, visit):
            self._told.add(visit.key)

    def shelved(self, task: Task, now: float) -> tuple[Verdict, Visit] | None:
        """A page that need not be fetched: the visit as it was, and what the requests of today say of it."""
        found = self._shelf.find(task.key, now)
        if found is None:
            return None
        seen = self._driver.judge(found.shape)
        if seen.numbers:
            self._shelf.serve(task.key)
        else:
            self._told.add(task.key)
        return _verdict(seen), structs.replace(found.visit, requests=list(seen.numbers))

    def recovered(self) -> list[Visit]:
        """Pages from the shelf that match after all, now that a judge knows the site better."""
        recovered, self._recovered = self._recovered, []
        return recovered

    # What goes home besides.

    def fitted(self) -> list[Fitted]:
        fits, self._fits = self._fits, []
        return fits

    def notes(self) -> list[str]:
        """What a person should know, once."""
        notes, self._notes, self._shelf.notes = [*self._shelf.notes, *self._notes], [], []
        return notes

    # Learning.

    def _links(self, plan: Plan, source: int, resolve: Resolve) -> tuple[dict[int, Traits], list[tuple[int, Traits]]]:
        """Links to pages not fetched yet, and some to those that were. What showed at the first link to a page
        stands for all: working it out anew for each would be most of the cost of a page."""
        links: dict[int, Traits] = {}
        lessons: dict[int, Traits] = {}
        for href, element in plan.links:
            target = resolve(href)
            if target is None:
                continue
            url, key = target
            if key in links or key in lessons:
                continue
            if self._driver.fetched(key):
                if len(lessons) < LESSONS:
                    lessons[key] = self._noticed(plan, url, element, source)
                continue
            traits = self._traits.get(key)
            if traits is None:
                traits = self._noticed(plan, url, element, source)
                if len(self._traits) < REMEMBERED:
                    self._traits[key] = traits
            links[key] = traits
        return links, list(lessons.items())

    def _noticed(self, plan: Plan, url: Url, element: Element, source: int) -> Traits:
        words, place = plan.shown(element)
        return self._driver.notice([Lead(url, words, place, source)])[0]

    def _promise(self, task: Task) -> float:
        """Where the link is not remembered, the URL alone tells."""
        traits = self._traits.get(task.key)
        if traits is None:
            traits = self._driver.notice([Lead(task.url, "", "", 0)])[0]
        return self._driver.leads.score(traits)

    def _learn(self, shape: Shape, key: int) -> bool:
        """Takes the page into the sample; whether the judges were fitted anew."""
        self._told.discard(key)
        self._seen += 1
        if len(self._sample) < SAMPLE:
            self._sample.append(shape)
        if self._seen not in FITTED_AT:
            return False
        self._tell_site()
        self._fit()
        return True

    def _tell_site(self) -> None:
        """Whether the site has one template for everything; the first pages are often of one kind."""
        if self._seen < ENOUGH_TO_TELL:
            return
        site = judge_site(self._sample)
        if not site.accepted and self._seen == ENOUGH_TO_TELL:
            self._notes.append(site.reason)
        self._one_template = not site.accepted

    def _fit(self) -> None:
        for request in self._requests.values():
            if request.fitted_on >= self._seen:
                continue
            wanted = self._fitted(request)
            self._driver.want(wanted)
            self._fits.append(Fitted(request.number, encode(wanted), self._seen))
        for page in self._match_again():
            self._shelf.serve(page.visit.key)
            self._told.discard(page.visit.key)

    def _match_again(self) -> list[Shelved]:
        """Of the pages that home heard of as refused by this migrant, those that match now."""
        matching = []
        for page in self._shelf.among(self._told, 0.0):
            seen = self._driver.judge(page.shape)
            if seen.numbers:
                self._recovered.append(structs.replace(page.visit, requests=list(seen.numbers)))
                matching.append(page)
        return matching

    def _fitted(self, request: Request) -> Wanted:
        likeness = Likeness(self._examples[request.number], self._sample, request.names)
        alike = min(likeness.alike_in_background, len(self._sample))
        rare = rarity(request.known + alike, request.pages + len(self._sample))
        wanted = likeness.wanted(request.number, rare)
        return of_any_page(wanted) if self._one_template else wanted


def _as_before(request: Request) -> Wanted | None:
    known = decode(request.wanted) if request.wanted else None
    rare = rarity(request.known, request.pages)
    return structs.replace(known, number=request.number, rarity=rare) if known is not None else None


def _verdict(seen: Seen) -> Verdict:
    if seen.numbers:
        return ACCEPTED
    judged = seen.judged
    nearest = f", nearest to {judged.nearest}" if judged.nearest else ""
    return refused(RULE, f"of another kind: {judged.similarity:.2f} alike{nearest}, {judged.threshold:.2f} is enough")
