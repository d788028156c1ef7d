"""A version of a page as change detection sees it: the blocks of its main part, and what stands around them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from turbohtml import Document, Element
from xxhash import xxh3_128_digest

from whimbrel.change.address import lasting_link
from whimbrel.change.blocks import Block, blocks_of
from whimbrel.change.feeds import feed_blocks, is_feed
from whimbrel.change.letters import readable
from whimbrel.parse.charset import decode
from whimbrel.parse.document import is_plain, tree_of

_UNREAD = "style,script,noscript,template,noframes,noembed,svg,input[type=hidden]"

# Landmarks after "HTML Accessibility API Mappings" §3.5: a header or footer of an article belongs to the article.
_AROUND_TAGS = ("nav", "aside", "dialog", "header", "footer")
_AROUND_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "dialog"})
_OF_AN_ARTICLE = "main,article,[role=main]"
_BOXES = ("div", "section", "ul", "ol", "dl", "table", "ins", "aside")
# The names that HTML's own elements were named after, for pages older than these, and those that DocBook writes.
_OLD_NAMES = frozenset(
    {"nav", "navbar", "navigation", "navheader", "navfooter", "breadcrumb", "breadcrumbs", "sidebar", "footer"}
)
# What passes by: advertisements, what others read, questions about cookies. By the words of the names that sites
# commonly give them; a box that is called after cookies alone may be what the page is about.
_PASSING = re.compile(
    r"""(?:.*-)?(?:ad(?!-hoc)|ads|advert(?:s|isements?|ising)?|adsbygoogle|sponsored)(?:-.*)?
    | (?:.*-)?also-(?:viewed|bought|likes?|liked|read|interested|enjoyed)(?:-.*)?
    | (?:.*-)?(?:recommended|recommendations?|recs|trending)(?:-.*)?
    | (?:.*-)?(?:most-(?:read|popular|viewed|shared)|popular-(?:posts?|articles?|stories))(?:-.*)?
    | (?:.*-)?(?:cookies?|gdpr|consent|cmp|onetrust)-?(?:consent-|law-|info-)*
      (?:banner|bar|box|notice|popup|modal|layer|dialog|overlay|wall|message|prompt|sdk|toast|alert|law|consent)(?:-.*)?
    | cookieconsent | cybot-?cookiebot-?dialog | cc-(?:window|banner) | didomi-host""",
    re.VERBOSE,
)
# What leads elsewhere, where it is all links: a section may be called after related work as well.
_LEADING_ON = re.compile(
    r"""(?:.*-)?related(?:-?(?:articles?|posts?|stor(?:y|ies)|contents?|news|products?|items?|pages?|links?|topics?|videos?|reading))?
    | (?:.*-)?(?:suggested|similar|more)-(?:articles?|posts?|stories|news|products?|items?|topics?|threads?)(?:-.*)?
    | (?:.*-)?(?:up|cross)-?sells?(?:-.*)?""",
    re.VERBOSE,
)
_WORDS_OF_A_NAME = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\W]+")
_MAIN = "main,[role=main]"
_LEAST_MAIN_SHARE = 0.2
_LEAST_LEFT_SHARE = 0.05
_LEAST_LINKED_SHARE = 1 / 3
_MOST_PASSING_SHARE = 1 / 2

_DATA = ("json", "ld+json", "importmap", "speculationrules", "template", "text/plain")
_HANDLERS = ",".join(
    f"[on{event}]"
    for event in [
        "click",
        "submit",
        "load",
        "change",
        "input",
        "error",
        "focus",
        "blur",
        "mouseover",
        "mouseout",
        "keydown",
        "keyup",
        "keypress",
    ]
)


class ComparedVersion:
    """What is compared. The blocks are read when they are first asked for: most visits find the same main part.

    `parts` are the main part and what is said beside it, in the order of the page, `markup` how they are written,
    `tags` their elements. `around` are the texts of menus, headers, footers and asides. Scripts are kept by their
    address (`sources`) or their `code`, styles likewise (`sheets`, `styles`). `digests` are those of the images'
    bytes by address, where somebody fetched them. `address` is where the page stands, "" where nobody said.
    """

    __slots__ = ("_blocks", "_parts", "_tags", "actions", "address", "around", "code", "digest", "digests", "markup",
                 "sheets", "sources", "styles", "title")  # fmt: skip

    def __init__(
        self,
        *,
        digest: bytes,
        title: str = "",
        parts: Sequence[Element] = (),
        blocks: tuple[Block, ...] | None = None,
        around: tuple[str, ...] = (),
        sources: tuple[str, ...] = (),
        code: tuple[str, ...] = (),
        actions: tuple[str, ...] = (),
        sheets: tuple[str, ...] = (),
        styles: tuple[str, ...] = (),
        digests: Mapping[str, bytes] | None = None,
        address: str = "",
    ) -> None:
        self.digest = digest
        self.address = address
        self.title = title
        self.markup = "".join(part.html for part in parts)
        self.around = around
        self.sources = sources
        self.code = code
        self.actions = actions
        self.sheets = sheets
        self.styles = styles
        self.digests = digests or {}
        self._parts = parts
        self._blocks = blocks
        self._tags: tuple[str, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        self._read()
        return self._blocks or ()

    @property
    def tags(self) -> tuple[str, ...]:
        self._read()
        return self._tags

    def _read(self) -> None:
        if self._blocks is None and self._parts:
            self._blocks = tuple(chain.from_iterable(map(blocks_of, self._parts)))
            self._tags = tuple(element.tag for part in self._parts for element in part.iter_elements())
            self._parts = ()


def read_version(
    body: bytes, content_type: str, digests: Mapping[str, bytes] | None = None, address: str = ""
) -> ComparedVersion:
    """All that two versions are compared by, in one parse."""
    if is_plain(content_type):
        return of_text(decode(body, content_type)[0], xxh3_128_digest(body))
    if is_feed(content_type):
        blocks = tuple(feed_blocks(decode(body, content_type)[0]))
        return ComparedVersion(digest=xxh3_128_digest(body), blocks=blocks, address=address)
    document, _ = tree_of(body, content_type)
    title = document.find("title")
    scripts = [element for element in document.iter_elements(("script",)) if _is_code(element)]
    sheets = [element.attr("href") or "" for element in document.select("link[rel~=stylesheet]")]
    sources = [source for element in scripts if (source := element.attr("src"))]
    code = [element.text for element in scripts if not element.attr("src")]
    styles = [element.text for element in document.iter_elements(("style",))]
    document.remove(_UNREAD)
    _remove_hidden(document)
    actions = _actions(document)
    parts, around = _parts(document)
    return ComparedVersion(
        digest=xxh3_128_digest(body),
        title=readable(" ".join(title.text.split())) if title is not None else "",
        parts=parts,
        around=tuple(around),
        sources=tuple(sources),
        code=tuple(code),
        actions=tuple(actions),
        sheets=tuple(sheets),
        styles=tuple(styles),
        digests=digests,
        address=address,
    )


def _remove_hidden(document: Document) -> None:
    """What is hidden until the reader opens it, as a tab or an answer below its question, is there to be read."""
    hidden = document.select("[hidden]")
    if not hidden:
        return
    opened = {
        name for control in document.select("[aria-controls]") for name in (control.attr("aria-controls") or "").split()
    }
    for element in hidden:
        if (
            element.attr("role") != "tabpanel"
            and element.attr("hidden") != "until-found"
            and element.attr("id") not in opened
        ):
            element.extract()


def of_text(text: str, digest: bytes, title: str = "") -> ComparedVersion:
    """A document of which only the text is known; its paragraphs are parted by an empty line."""
    return ComparedVersion(digest=digest, title=title, blocks=tuple(_plain(text)))


def _plain(text: str) -> Iterator[Block]:
    parts = "\n".join(line.strip() for line in text.splitlines()).split("\n\n")
    for number, part in enumerate(parts, 1):
        if words := " ".join(part.split()):
            yield Block(words, "", "", f"paragraph {number}")


def _is_code(script: Element) -> bool:
    kind = (script.attr("type") or "").strip().lower()
    return not kind.endswith(_DATA)


def _actions(document: Document) -> list[str]:
    """What the page does where it is touched: handlers of events and targets of forms."""
    found = [
        f"form {form.attr('method') or 'get'} {lasting_link(form.attr('action') or '')}"
        for form in document.select("form")
    ]
    for element in document.select(_HANDLERS):
        found += (
            f"{element.tag} {name}: {value}"
            for name, value in element.attrs.items()
            if name.startswith("on") and isinstance(value, str)
        )
    return found


def _parts(document: Document) -> tuple[list[Element], list[str]]:
    """What is compared, freed of menus and the like, and the texts of all the rest."""
    body = document.find("body")
    if body is None:
        return [], []
    whole = len(body.text)
    around = _around(document, whole)
    if whole - sum(len(element.text) for element in around) < _LEAST_LEFT_SHARE * whole:
        return [body], []
    texts: list[str] = []
    for element in around:
        texts += element.stripped_strings
        element.extract()
    main = document.select_one(_MAIN)
    if main is None or len(main.text) < _LEAST_MAIN_SHARE * len(body.text):
        return [body], texts
    parts = list(_beside(body, main))
    for part in parts:
        part.extract()
    return parts, [*texts, *body.stripped_strings]


def _beside(body: Element, main: Element) -> Iterator[Element]:
    """The main part, and boxes before and behind it that are not made of links: a notice above an article is read as
    the article is."""
    within = [main, *main.ancestors]
    for element in body.children:
        if element == main:
            yield main
        elif element in within and isinstance(element, Element):
            yield from _beside(element, main)
        elif isinstance(element, Element) and element.text.strip() and not _is_of_links(element):
            yield element


def _around(document: Document, whole: int) -> list[Element]:
    """The outermost elements that are not the main part of a page of so many characters."""
    found = [element for element in document.iter_elements(_AROUND_TAGS) if not _is_of_an_article(element)]
    found += (element for element in document.select("[role]") if element.attr("role") in _AROUND_ROLES)
    old, passing = _named(document)
    found += [element for element in old if element.closest(_OF_AN_ARTICLE) is None] if found else old
    # A box that holds most of the page is its main part, whatever it is called.
    found += (box for box in passing if len(box.text) <= _MOST_PASSING_SHARE * whole)
    distinct = dict.fromkeys(found)
    return [element for element in distinct if not any(outer in distinct for outer in element.ancestors)]


def _named(document: Document) -> tuple[list[Element], list[Element]]:
    """Boxes that are known by their class or identifier."""
    old, passing = [], []
    for box in document.iter_elements(_BOXES):
        names = _names(box)
        if not _OLD_NAMES.isdisjoint(names):
            if "sidebar" not in names or box.attr("id") == "sidebar" or _is_of_links(box):
                old.append(box)
        elif any(map(_passes, [*names, box.attr("aria-label") or ""])) or (
            any(map(_leads_on, names)) and _is_of_links(box)
        ):
            passing.append(box)
    return old, passing


@lru_cache(maxsize=4096)
def _passes(name: str) -> bool:
    return _PASSING.fullmatch(_WORDS_OF_A_NAME.sub("-", name).lower()) is not None


@lru_cache(maxsize=4096)
def _leads_on(name: str) -> bool:
    return _LEADING_ON.fullmatch(_WORDS_OF_A_NAME.sub("-", name).lower()) is not None


def _is_of_links(box: Element) -> bool:
    """DocBook calls a box of prose beside the text a sidebar as well."""
    linked = sum(len(link.text) for link in box.iter_elements(("a",)))
    return linked >= _LEAST_LINKED_SHARE * len(" ".join(box.text.split()))


def _is_of_an_article(element: Element) -> bool:
    """Its header and footer, and what it says aside: a note or a warning. What leads elsewhere is not."""
    if element.tag not in ("header", "footer", "aside") or element.closest(_OF_AN_ARTICLE) is None:
        return False
    return element.tag != "aside" or not (_OLD_NAMES.intersection(_names(element)) or _is_of_links(element))


def _names(box: Element) -> list[str]:
    identifier = box.attr("id")
    return (box.attr("class") or "").split() + ([identifier] if identifier else [])
