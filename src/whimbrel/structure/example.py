"""Does this page show a kind of page, and do this site's pages differ in kind at all?

An example that shows nothing would make every page alike or none; it is refused with a reason and what to do instead.
"""

from collections.abc import Sequence
from itertools import islice

from msgspec import Struct

from whimbrel.records.outline import WORDS_MARK, Step
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.structure.ground import ONE_TEMPLATE, Ground
from whimbrel.structure.shape import Shape, Shaper

MOST_ELEMENTS = 100_000
SHELL_CHARACTERS = 200
SHELL_ELEMENTS = 12
ENOUGH_PAGES = 20

_UNSEEN = frozenset(
    {"html", "head", "body", "script", "style", "noscript", "template", "link", "meta", "title", "base"}
)


class ExamplePage(Struct, frozen=True):
    """A page that somebody gives as an example. `status` is the HTTP status, 0 where none is known."""

    name: str
    status: int
    steps: Sequence[Step]
    characters: int


def judge_example(page: ExamplePage, shaper: Shaper) -> Shape | Verdict:
    """The shape of the kind it shows, or why it shows none."""
    if page.status and not 200 <= page.status < 300:
        return refused(
            "error_page", f"the server answered {page.status} for {page.name}: an error or a redirect shows no kind of "
            "page. Open it in a browser, and give the URL that it ends at.",
        )  # fmt: skip
    # A page of more elements than any template has is judged by its first ones: the template comes first.
    steps = list(islice(page.steps, MOST_ELEMENTS))
    shape = shaper.shape(steps)
    tags = [tag for _, tag, _ in steps if tag[:1] != WORDS_MARK]
    seen = sum(tag not in _UNSEEN for tag in tags)
    if "script" in tags and seen <= SHELL_ELEMENTS and page.characters < SHELL_CHARACTERS:
        return refused(
            "script_shell", f"{page.name} is a shell that a script fills in a browser: what the server sends says "
            "nothing about the kind of page. Choose a page whose text is in its source, or the site's version "
            "without scripts.",
        )  # fmt: skip
    if shape.is_empty or not seen:
        return refused("empty", f"{page.name} is empty: it has no elements to compare. Choose a page with content.")
    return shape


def judge_site(ground: Ground) -> Verdict:
    """Whether the pages of a site differ in kind; too few of them are given the benefit of the doubt. What all pages
    have tells no kind, so kinds may be made of the little that is left: here every element counts."""
    if len(ground.sample) < ENOUGH_PAGES:
        return ACCEPTED
    first, *others = (ground.sample[group[0]].elements for group in ground.kinds)
    if any(len(first & other) < ONE_TEMPLATE * len(first | other) for other in others):
        return ACCEPTED
    return refused(
        "one_template", "the site seems to have one template for everything: hardly any page is told from another by "
        "its kind. Choose pages by address instead (`crawl --include`, `pages --match`).",
    )  # fmt: skip
