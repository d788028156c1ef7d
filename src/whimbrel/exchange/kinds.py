"""The structure of kept pages: a site's kinds, the pages like an example, and why a page is or is not.

Kept copies are read one after the other; what stays in memory is a sample of their shapes, and where the links of that
sample stand.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from whimbrel.flows.copies import decoded
from whimbrel.parse import html, places
from whimbrel.parse.outline import upper
from whimbrel.parse.places import GroundPlan
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import NothingThere
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import ListedUrl, Selection
from whimbrel.structure.example import ExamplePage, judge_example, judge_site
from whimbrel.structure.ground import LIKE, Ground
from whimbrel.structure.likeness import KindJudged, KindLikeness
from whimbrel.structure.roles import Roles
from whimbrel.structure.shape import DEEPEST, Shape, Shaper
from whimbrel.structure.templates import PageKinds, kinds_among
from whimbrel.urls.normal import key
from whimbrel.urls.resolve import LinkResolver

SAMPLE = 1_000

_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)


class PageKind(Struct, frozen=True):
    """A kind of page: how many are of it, and the one that is most like the others."""

    pages: int
    example: Url
    title: str


class Survey(Struct, frozen=True):
    """The kinds among `pages` pages, largest first. `by_tree` of them were told by their trees; `empty` have none.

    `site` is refused where all pages have one template; its reason says what to do instead.
    """

    kinds: tuple[PageKind, ...]
    pages: int
    by_tree: int
    empty: int
    site: Verdict

    @property
    def one_template(self) -> bool:
        return not self.site.accepted


class AlikePage(Struct, frozen=True):
    """A page of the kind asked for."""

    listed: ListedUrl
    judged: KindJudged


class Likes(Struct, frozen=True):
    """The pages like the examples, most alike first, among `pages` looked at. `site` is as in `Survey`."""

    found: tuple[AlikePage, ...]
    threshold: float
    pages: int
    by_tree: int
    site: Verdict

    @property
    def one_template(self) -> bool:
        return not self.site.accepted


class Reason(Struct, frozen=True):
    """Why a page is of a kind or of none: the nearest, how alike it is, and from where on it would be."""

    url: Url
    nearest: tuple[Url, ...]
    similarity: float
    threshold: float
    alike: bool
    by_tree: bool


class _Found:
    """A kind while its pages are counted."""

    def __init__(self) -> None:
        self.pages = 0
        self.best = -1.0
        self.example: ListedUrl | None = None

    def take(self, page: ListedUrl, similarity: float) -> None:
        self.pages += 1
        if similarity > self.best:
            self.best, self.example = similarity, page

    def kind(self) -> PageKind:
        assert self.example is not None
        return PageKind(self.pages, self.example.url, self.example.title)


class Shapes:
    """The shapes of a folder's kept pages. Which roles they have on their site is known from the sample."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._shaper = Shaper()
        self._roles = Roles()
        self._resolver = LinkResolver()

    def each(self, selection: Selection) -> Iterator[tuple[ListedUrl, Shape]]:
        """The kept pages with markup."""
        for page in self._marked_up(selection):
            copy = decoded(self._reader.body(page.url))
            if not isinstance(copy, Failure):
                shape = self._shaper.shape(upper(copy.body, copy.content_type or page.mime, DEEPEST))
                yield page, shape.in_roles(self._roles.of(page.key))

    def sample(self, selection: Selection) -> list[Shape]:
        """Of about `SAMPLE` pages, spread over all."""
        every = max(1, sum(1 for _ in self._marked_up(selection)) // SAMPLE)
        read: list[tuple[int, Shape]] = []
        for at, page in enumerate(self._marked_up(selection)):
            copy = decoded(self._reader.body(page.url)) if at % every == 0 else None
            if copy is None or isinstance(copy, Failure):
                continue
            said, plan = places.read(copy.body, copy.content_type or page.mime, DEEPEST)
            self._take_links(page, said.base, plan)
            read.append((page.key, self._shaper.shape(plan.steps)))
        return [shape.in_roles(self._roles.of(number)) for number, shape in read]

    def in_roles(self, url: Url, shape: Shape) -> Shape:
        """A page with the roles that it has, once a sample was taken."""
        return shape.in_roles(self._roles.of(key(url)))

    def of(self, url: Url) -> Shape | Verdict:
        """The shape of one page, or why it shows no kind of page."""
        listed = self._reader.one(url)
        if listed is None:
            raise NothingThere(
                f"{url} is not known in {self._reader.location}. `whimbrel pages --match RE` finds what is."
            )
        if listed.outcome not in (*_KEPT, Outcome.DUPLICATE):
            what = ": ".join(part for part in (listed.outcome, listed.rule, listed.reason) if part)
            return refused("not_kept", f"no page is kept of {url} ({what}). Choose one that `whimbrel pages` lists.")
        copy = decoded(self._reader.body(url))
        if isinstance(copy, Failure):
            return refused("damaged", f"the kept copy of {url} cannot be read: {copy.detail}. Choose another page.")
        content_type = copy.content_type or listed.mime
        characters = len(html.read(copy.body, content_type).text)
        return judge_example(ExamplePage(url, 0, upper(copy.body, content_type, DEEPEST), characters), self._shaper)

    def _marked_up(self, selection: Selection) -> Iterator[ListedUrl]:
        return (page for page in self._reader.urls(_kept(selection)) if "html" in page.mime)

    def _take_links(self, page: ListedUrl, based: str, plan: GroundPlan) -> None:
        named = self._resolver.resolve(based, page.url) if based else None
        base = named[0] if named is not None else page.url
        for href, element in plan.links:
            target = self._resolver.resolve(href, base)
            if target is not None and target[1] != page.key:
                self._roles.take(target[1], plan.standing(element))


def survey(reader: Reader, selection: Selection) -> Survey:
    """The kinds of pages that are kept."""
    return _surveyed(Shapes(reader), selection)[0]


def like(reader: Reader, examples: Sequence[Url], selection: Selection) -> Likes | Verdict:
    """The kept pages of the kind that the examples show; a verdict where one of them shows none."""
    shapes = Shapes(reader)
    ground = Ground(shapes.sample(selection))
    likeness = _likeness(shapes, examples, ground)
    if isinstance(likeness, Verdict):
        return likeness
    site = judge_site(ground)
    found, pages, by_tree = [], 0, 0
    for page, shape in shapes.each(selection):
        judged = likeness.judge(shape)
        pages += 1
        by_tree += judged.by_tree
        if judged.alike:
            found.append(AlikePage(page, judged))
    found.sort(key=lambda one: -one.judged.similarity)
    return Likes(tuple(found), likeness.threshold, pages, by_tree, site)


def why_like(reader: Reader, url: Url, examples: Sequence[Url], selection: Selection) -> Reason | Verdict:
    """Why a page is or is not of the kind that the examples show."""
    shapes = Shapes(reader)
    shape = shapes.of(url)
    likeness = _likeness(shapes, examples, Ground(shapes.sample(selection)))
    if isinstance(likeness, Verdict):
        return likeness
    if isinstance(shape, Verdict):
        return shape
    judged = likeness.judge(shapes.in_roles(url, shape))
    return Reason(url, tuple(examples), judged.similarity, judged.threshold, judged.alike, judged.by_tree)


def why(reader: Reader, url: Url, selection: Selection) -> Reason | Verdict:
    """Which of the kinds that are kept a page is nearest to."""
    shapes = Shapes(reader)
    shape = shapes.of(url)
    if isinstance(shape, Verdict):
        return shape
    _, kinds, examples = _surveyed(shapes, selection)
    nearest = kinds.nearest(shapes.in_roles(url, shape))
    if nearest.kind is None:
        return Reason(url, (), 0.0, LIKE, False, False)
    named = (examples[nearest.kind].example,)
    return Reason(url, named, nearest.similarity, LIKE, nearest.similarity >= LIKE, nearest.by_tree)


def _likeness(shapes: Shapes, examples: Sequence[Url], ground: Ground) -> KindLikeness | Verdict:
    shown: list[Shape] = []
    for url in dict.fromkeys(examples):
        one = shapes.of(url)
        if isinstance(one, Verdict):
            return one
        shown.append(shapes.in_roles(url, one))
    return KindLikeness(shown, ground)


def _surveyed(shapes: Shapes, selection: Selection) -> tuple[Survey, PageKinds, dict[int, PageKind]]:
    ground = Ground(shapes.sample(selection))
    kinds = kinds_among(ground)
    found: dict[int, _Found] = {}
    pages = by_tree = empty = 0
    for page, shape in shapes.each(selection):
        if shape.is_empty:
            empty += 1
            continue
        placed = kinds.place(shape)
        assert placed.kind is not None
        pages += 1
        by_tree += placed.by_tree
        found.setdefault(placed.kind, _Found()).take(page, placed.similarity)
    known = {number: one.kind() for number, one in found.items()}
    ranked = sorted(known.values(), key=lambda kind: (-kind.pages, kind.example))
    return Survey(tuple(ranked), pages, by_tree, empty, judge_site(ground)), kinds, known


def _kept(selection: Selection) -> Selection:
    return Selection(outcomes=_KEPT, site=selection.site, match=selection.match, assets=False)
