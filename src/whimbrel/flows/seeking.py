"""A crawl for pages of one kind, as the migrant does it: every page is held against the request where it is.

The judge is fitted anew as pages come in: how alike pages of a kind are shows only beside the site's other pages. Pages
that did not match wait on a bounded shelf, and a judge that has learned looks there first.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from whimbrel.parse.outline import Step
from whimbrel.parse.places import Plan
from whimbrel.parse.places import plan as plan_of
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.records.visit import Link, Visit
from whimbrel.structure.driver import Driver, Seen
from whimbrel.structure.example import judge_site
from whimbrel.structure.leads import Link as Lead
from whimbrel.structure.leads import Traits
from whimbrel.structure.likeness import Likeness
from whimbrel.structure.shape import DEEPEST, Shape, Shaper, signature
from whimbrel.structure.wanted import Wanted, decode

FITTED_AT = (20, 50, 100, 200, 400, 800)
"""Pages seen when the judge is fitted anew; after that the sample is large enough."""

ENOUGH_TO_TELL = 100
SAMPLE = 1_000
REMEMBERED = 50_000
RULE = "structure"


class Request(Struct, frozen=True, array_like=True):
    """Pages of this kind are wanted: what the examples are made of, and their names. `wanted` is home's own judge where
    it knows the site already."""

    number: int
    names: list[str]
    examples: list[list[Step]]
    wanted: bytes = b""


class Look(Struct, frozen=True):
    """A page as the request sees it: whether it is kept, and what its links promise."""

    verdict: Verdict
    shape: Shape
    scores: dict[int, float]


class Seeker:
    """Judges, learns and chooses for the requests of a brief."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self._driver: Driver[Visit] = Driver()
        self._shaper = Shaper()
        self._requests = {request.number: request for request in requests}
        self._examples = {
            request.number: [self._shaper.shape(steps) for steps in request.examples] for request in requests
        }
        self._sample: list[Shape] = []
        self._seen = 0
        self._traits: dict[int, Traits] = {}
        self._recovered: list[Visit] = []
        self._notes: list[str] = []
        for request in requests:
            known = decode(request.wanted) if request.wanted else None
            self._driver.want(known if known is not None else self._fitted(request.number))

    def look(
        self, task: Task, body: bytes, content_type: str, resolve: Callable[[str], tuple[Url, int] | None]
    ) -> Look:
        plan = plan_of(body, content_type, DEEPEST)
        shape = self._shaper.shape(plan.steps)
        links = self._links(plan, signature(shape), resolve)
        seen = self._driver.judge(shape)
        self._driver.take_in(task.key, seen, self._traits.pop(task.key, None), links)
        self._learn(shape)
        for key, traits in links:
            if len(self._traits) < REMEMBERED:
                self._traits[key] = traits
        return Look(_verdict(seen), shape, {key: self._driver.leads.score(traits) for key, traits in links})

    def scored(self, links: list[Link], look: Look) -> list[Link]:
        """The links that home hears of, with what they promise."""
        return [structs.replace(link, score=look.scores.get(link.key, 0.0)) for link in links]

    def shelve(self, look: Look, visit: Visit) -> None:
        """A page that nobody asked for yet."""
        size = visit.received_bytes
        self._driver.shelf.put(visit.key, look.shape, structs.replace(visit, links=[]), size)

    def recovered(self) -> list[Visit]:
        """Pages from the shelf that match after all, now that the judge knows the site better."""
        recovered, self._recovered = self._recovered, []
        return recovered

    def notes(self) -> list[str]:
        """What a person should know, once."""
        notes, self._notes = self._notes, []
        return notes

    def by_promise(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks at hand, those whose links promise most first."""
        leads, traits = self._driver.leads, self._traits

        def promise(task: Task) -> float:
            known = traits.get(task.key)
            return -leads.score(known) if known is not None else 0.0

        return sorted(tasks, key=promise)

    def _links(
        self, plan: Plan, source: int, resolve: Callable[[str], tuple[Url, int] | None]
    ) -> list[tuple[int, Traits]]:
        leads: dict[int, Lead] = {}
        for link in plan.links:
            target = resolve(link.href)
            if target is not None:
                leads.setdefault(target[1], Lead(target[0], link.words, link.place, source))
        return list(zip(leads, self._driver.notice(leads.values()), strict=True))

    def _learn(self, shape: Shape) -> None:
        self._seen += 1
        if len(self._sample) < SAMPLE:
            self._sample.append(shape)
        if self._seen == ENOUGH_TO_TELL:
            site = judge_site(self._sample)
            if not site.accepted:
                self._notes.append(site.reason)
        if self._seen in FITTED_AT:
            for number in self._requests:
                self._recovered += [one.kept for one in self._driver.want(self._fitted(number))]

    def _fitted(self, number: int) -> Wanted:
        likeness = Likeness(self._examples[number], self._sample, self._requests[number].names)
        return likeness.wanted(number, 1.0)


def _verdict(seen: Seen) -> Verdict:
    if seen.number is not None:
        return ACCEPTED
    judged = seen.judged
    nearest = f", nearest to {judged.nearest}" if judged.nearest else ""
    return refused(RULE, f"of another kind: {judged.similarity:.2f} alike{nearest}, {judged.threshold:.2f} is enough")
