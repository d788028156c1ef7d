"""The judge of structure: is this page of a kind that was shown by examples?

It is fitted anew as pages come in: how alike pages of a kind are shows only beside the site's other pages.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec
from msgspec import Struct, structs
from turbohtml import Element

from whimbrel.judges.judge import Look, Need, Serves, Sight
from whimbrel.parse.places import GroundPlan
from whimbrel.records.request import RULE, Alike, Fitted
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.structure.driver import Driver, PageSeen
from whimbrel.structure.example import judge_site
from whimbrel.structure.ground import FEWEST, Ground, is_elsewhere
from whimbrel.structure.leads import LinkTraits as Lead
from whimbrel.structure.leads import Traits, rarity
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.roles import Roles
from whimbrel.structure.shape import Shape, Shaper, signature
from whimbrel.structure.wanted import Wanted, decode, encode
from whimbrel.urls.normal import key as key_of

FITTED_AT = (20, 35, 50, 70, 100, 140, 200, 280, 400, 560, 800)
"""Pages seen when the judge is fitted anew in any case; after that the sample is large enough."""

SOONEST = 1.1
"""Times as many pages as at the last fitting, at least, when it is fitted anew because of a kind that was not there
then: fitting costs about as much as reading some dozen pages."""

ENOUGH_TO_TELL = 100
SAMPLE = 1_000
REMEMBERED = 50_000
LESSONS = 20
"""Links to pages fetched before that are looked at, of each page."""

_NO_TREE = GroundPlan([], [])
_shape = msgspec.msgpack.Decoder(Shape)


class Outlined(Struct, frozen=True):
    """A page as this judge sees it: its shape, and what shows at its links to pages not fetched yet."""

    shape: Shape
    links: dict[int, Traits]


class AlikeJudge:
    """Judges, learns and scores for all requests by example."""

    rule = RULE
    needs = Need.TREE

    def __init__(self, requests: Sequence[Alike]) -> None:
        self._driver = Driver()
        self._shaper = Shaper()
        self._requests = {request.number: request for request in requests}
        self._examples = {
            request.number: [self._shaper.shape(steps) for steps in request.examples] for request in requests
        }
        self._roles = Roles()
        self._sample: list[tuple[int, Shape]] = []
        self._seen = 0
        self._ground: Ground | None = None
        self._fitted_at = 0
        self._met: Counter[int] = Counter()
        self._usual: frozenset[int] = frozenset()
        self._traits: dict[int, Traits] = {}
        self._fits: list[Fitted] = []
        self._notes: list[str] = []
        for request in requests:
            self._driver.want(_as_before(request) or self._fitted(request))
            self._driver.show(map(Url, request.names))

    # Pages.

    def look(self, sight: Sight) -> Look[Outlined]:
        tree = sight.tree or _NO_TREE
        bare = self._shaper.shape(tree.steps)
        shape = bare.in_roles(self._roles.of(sight.key))
        seen = self._driver.judge(shape)
        followed = self._traits.pop(sight.key, None)
        links, lessons = self._links(tree, signature(bare), sight)
        self._driver.take_in(sight.key, seen, followed, links.values(), lessons)
        relearned = self._learn(sight.key, bare)
        if relearned:
            seen = self._driver.judge(shape)
        return self._look(seen, Outlined(shape, links), relearned)

    def again(self, packed: bytes) -> Look[Outlined]:
        shape = _shape.decode(packed)
        return self._look(self._driver.judge(shape), Outlined(shape, {}))

    def pack(self, look: Look[Outlined]) -> bytes:
        shape = look.trace.shape
        return b"" if shape.is_empty else msgspec.msgpack.encode(shape)

    def stands(self, key: int) -> bool:
        return False

    def sort(self, look: Look[Outlined]) -> int:
        return signature(look.trace.shape)

    def done(self, number: int) -> None:
        self._driver.done(number)
        self._requests.pop(number, None)

    def fitted(self) -> list[Fitted]:
        fits, self._fits = self._fits, []
        return fits

    def notes(self) -> list[str]:
        notes, self._notes = self._notes, []
        return notes

    def _look(self, seen: PageSeen, trace: Outlined, relearned: bool = False) -> Look[Outlined]:
        serves = tuple(Serves(number, self._driver.rarity(number)) for number in seen.numbers)
        return Look(serves, _verdict(seen), trace, relearned)

    # Links.

    def score(self, look: Look[Outlined], key: int) -> float | None:
        traits = look.trace.links.get(key)
        return None if traits is None else self._driver.leads.score(traits)

    def promise(self, key: int, url: Url) -> float:
        """Where the link is not remembered, the URL alone tells."""
        traits = self._traits.get(key)
        if traits is None:
            traits = self._driver.notice([Lead(url, "", "", 0)])[0]
        return self._driver.leads.score(traits)

    def _links(self, tree: GroundPlan, source: int, sight: Sight) -> tuple[dict[int, Traits], list[tuple[int, Traits]]]:
        """Links to pages not fetched yet, and some to those that were. What showed at the first link to a page
        stands for all: working it out anew for each would be most of the cost of a page."""
        links: dict[int, Traits] = {}
        lessons: dict[int, Traits] = {}
        for href, element in tree.links:
            target = sight.resolve(href)
            if target is None:
                continue
            url, key = target
            if key != sight.key:
                self._roles.take(key, tree.standing(element))
            if key in links or key in lessons:
                continue
            if self._driver.fetched(key):
                if len(lessons) < LESSONS:
                    lessons[key] = self._noticed(tree, url, element, source)
                continue
            traits = self._traits.get(key)
            if traits is None:
                traits = self._noticed(tree, url, element, source)
                if len(self._traits) < REMEMBERED:
                    self._traits[key] = traits
            links[key] = traits
        return links, list(lessons.items())

    def _noticed(self, tree: GroundPlan, url: Url, element: Element, source: int) -> Traits:
        words, place = tree.shown(element)
        return self._driver.notice([Lead(url, words, place, source)])[0]

    # Learning.

    def _learn(self, key: int, shape: Shape) -> bool:
        """Takes the page into the sample; whether the judge was fitted anew."""
        self._seen += 1
        if len(self._sample) < SAMPLE:
            self._sample.append((key, shape))
        self._met[signature(shape)] += 1
        if self._seen not in FITTED_AT and not self._comes_up(signature(shape)):
            return False
        self._fitted_at = self._seen
        self._usual = frozenset(sort for sort, count in self._met.items() if count >= FEWEST)
        # Links that were met since a page was looked at say what it is too.
        sample = [shape.in_roles(self._roles.of(key)) for key, shape in self._sample]
        linked = any(all(one.has_roles for one in self._examples_of(request)) for request in self._requests.values())
        self._ground = Ground(sample, roles=linked, shown=self._shown(sample))
        self._tell_site(self._ground)
        self._fit()
        return True

    def _comes_up(self, sort: int) -> bool:
        """Whether this is one page more of a kind that was not there at the last fitting, and now is one: until then it
        is nobody's stranger, and is taken for whatever it is most like."""
        soonest = max(FITTED_AT[0], SOONEST * self._fitted_at)
        return soonest <= self._seen < FITTED_AT[-1] and sort not in self._usual and self._met[sort] >= FEWEST

    def _shown(self, sample: Sequence[Shape]) -> list[Shape]:
        """The examples that are of this site: a kind that the crawl has not come to yet is no stranger's for that."""
        examples = [shape for request in self._requests.values() for shape in self._examples_of(request)]
        return [shape for shape in examples if not shape.is_empty and not is_elsewhere(shape, sample)]

    def _examples_of(self, request: Alike) -> list[Shape]:
        """With the roles that they have here."""
        named = zip(request.names, self._examples[request.number], strict=True)
        return [shape.in_roles(self._roles.of(key_of(Url(name)))) for name, shape in named]

    def _tell_site(self, ground: Ground) -> None:
        """Whether the site has one template for everything; the first pages are often of one kind."""
        if self._seen == ENOUGH_TO_TELL and not (site := judge_site(ground)).accepted:
            self._notes.append(site.reason)

    def _fit(self) -> None:
        for request in self._requests.values():
            if request.fitted_on >= self._seen:
                continue
            wanted = self._fitted(request)
            self._driver.want(wanted)
            self._fits.append(Fitted(request.number, encode(wanted), self._seen))

    def _fitted(self, request: Alike) -> Wanted:
        likeness = KindLikeness(self._examples_of(request), self._ground or (), request.names)
        alike = min(likeness.alike_in_background, len(self._sample))
        rare = rarity(request.known + alike, request.pages + len(self._sample))
        return likeness.wanted(request.number, rare)


def _as_before(request: Alike) -> Wanted | None:
    known = decode(request.wanted) if request.wanted else None
    rare = rarity(request.known, request.pages)
    return structs.replace(known, number=request.number, rarity=rare) if known is not None else None


def _verdict(seen: PageSeen) -> Verdict:
    if seen.numbers:
        return ACCEPTED
    judged = seen.judged
    nearest = f", nearest to {judged.nearest}" if judged.nearest else ""
    return refused(
        RULE,
        f"built otherwise than asked for: {judged.similarity:.2f} alike{nearest}, {judged.threshold:.2f} is needed",
    )
