"""What the parser saw in a document."""

from msgspec import Struct

BEGINNING = 8_000
"""Characters at the beginning of a text that tell what it is about."""


class Anchor(Struct, frozen=True, array_like=True, gc=False):
    """A link as the page wrote it: `href` is not yet resolved. `nofollow`: every link to it asks not to be followed."""

    href: str
    text: str
    nofollow: bool


class Page(Struct, frozen=True):
    """The hot-path parts of a document, taken in one pass.

    `anchors` are the distinct hrefs that lead out of the page, without fragments, each with the first text that
    names it.
    `base` is the href of `<base>` or "". `directives` are the robots directives of the page's meta tags that
    concern us, lower case ("noindex", "nofollow", "noarchive"). `refresh` is the target of an immediate meta
    refresh or "". `headings` are those of the first four ranks, each in a line. `cut` lists what was cut before the
    parser saw it, for a person to read. `scripted` says what shows that scripts are to make the page, else "".
    """

    title: str
    text: str
    headings: str
    anchors: list[Anchor]
    base: str
    language: str
    charset: str
    canonical: str
    refresh: str
    directives: frozenset[str]
    assets: list[str]
    cut: tuple[str, ...]
    scripted: str = ""
    written_at: float = 0.0
    """When it says that it was last changed or written, in Unix seconds; 0 where it does not say."""
    feeds: list[str] = []
    """Hrefs of the feeds it names as its alternate form."""
    marks: list[str] = []
    """The fragments that lead to its headings, one each, "" for none."""
