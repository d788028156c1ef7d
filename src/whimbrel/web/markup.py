"""A kept page written anew: only elements and attributes that show something, and none that does something.

What is not listed here is left out, so that what nobody thought of is left out too. The text of elements nobody
knows stays.
"""

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Protocol

from turbohtml import Document, Element, Namespace, Text

from whimbrel.web.drawings import Drawings
from whimbrel.web.styles import inside_element, rewritten

SHOWN = frozenset(
    """
    a abbr acronym address article aside b bdi bdo big blockquote body br button caption center cite code col colgroup
    data dd del details dfn dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header
    hgroup hr i img input ins kbd label legend li main mark menu meter nav ol optgroup option output p picture pre
    progress q rp rt ruby s samp search section select small span strike strong sub summary sup table tbody td
    textarea tfoot th thead time tr tt u ul var wbr area map
    """.split()  # noqa: SIM905
)
DROPPED = frozenset(
    """
    script style link meta base title head template noscript iframe frame frameset noframes object embed applet param
    portal fencedframe audio video source track canvas math noembed dialog slot
    """.split()  # noqa: SIM905
)
_VOID = frozenset({"br", "col", "hr", "img", "input", "wbr", "area"})
_CONTROLS = frozenset({"button", "input", "select", "textarea", "optgroup", "option", "fieldset"})
_ATTRIBUTES = frozenset(
    """
    abbr align alt axis bgcolor border cellpadding cellspacing char charoff checked class clear color cols colspan
    compact coords datetime dir face headers height high hspace id label lang low max min multiple noshade
    nowrap open optimum placeholder reversed role rows rowspan rules scope selected shape size span start summary
    title type usemap valign value vspace width
    """.split()  # noqa: SIM905
)
_HERE = re.compile(r"#[^\s\"'()\\<>]+")
_IDENTIFIER = re.compile(r"aria-[a-z]{2,30}")
_INPUTS = frozenset({"text", "search", "checkbox", "radio", "button", "submit", "reset", "number", "date", "email",
                     "url", "tel", "range", "color"})  # fmt: skip
# Raw-text elements of old: their content was read as text, so it is written as such.
_RENAMED = {"xmp": "pre", "listing": "pre", "plaintext": "pre", "dir": "ul", "acronym": "abbr"}


class Addresses(Protocol):
    """Where a page's links and files lead to when it is read from its kept copy."""

    def link(self, href: str) -> "LinkTarget | None": ...

    def file(self, href: str) -> str | None:
        """The address of a kept file."""
        ...


class LinkTarget(Protocol):
    """`fragment` is set where the link leads into the page itself."""

    @property
    def url(self) -> str: ...
    @property
    def kept(self) -> bool: ...
    @property
    def fragment(self) -> str: ...


def shown(document: Document, addresses: Addresses) -> Iterator[str]:
    """The page's visible part, from the start tag of its body to the end of it."""
    body = document.find("body")
    yield f"<body{''.join(_attributes(body, addresses)) if body is not None else ''}>"
    if body is not None:
        yield from _inside(body, addresses, Drawings(document, _or_here(addresses), bare=_is_bare(document, addresses)))
    yield "</body>"


def root(document: Document, addresses: Addresses) -> str:
    """The start tag of the whole: its language, its direction, and the classes that style sheets go by."""
    element = document.root
    return f"<html{''.join(_attributes(element, addresses)) if element is not None else ''}>"


def sheets(document: Document, addresses: Addresses) -> Iterator[str]:
    """Its style sheets in their order, those in files by the address of the kept file."""
    for element in document.iter_elements(("link", "style")):
        media = element.attr("media") or ""
        limited = f' media="{escape(media)}"' if media else ""
        if element.tag == "style":
            # That of a drawing holds for the whole page too (SVG 2 §6.2).
            yield f"<style{limited}>{inside_element(rewritten(element.text, _or_here(addresses)))}</style>"
        elif _is_sheet(element) and (place := addresses.file(element.attr("href") or "")):
            yield f'<link rel="stylesheet" href="{escape(place)}"{limited}>'


def _is_sheet(element: Element) -> bool:
    rel = (element.attr("rel") or "").lower().split()
    return "stylesheet" in rel and "alternate" not in rel and "disabled" not in element.attrs


def _is_bare(document: Document, addresses: Addresses) -> bool:
    """Whether it had style sheets, and none of them is kept."""
    wanted = [element.attr("href") or "" for element in document.iter_elements("link") if _is_sheet(element)]
    return bool(wanted) and not any(addresses.file(href) for href in wanted)


def _or_here(addresses: Addresses) -> Callable[[str], str | None]:
    """What is only a fragment names a part of the page itself, wherever it is written (CSS Values 4 §4.5.1)."""
    return lambda href: href if _HERE.fullmatch(href) else addresses.file(href)


def _inside(body: Element, addresses: Addresses, drawings: Drawings) -> Iterator[str]:
    # A stack of our own: no page is too deep for it. Texts on it are end tags.
    waiting: list[Element | Text | str] = list(reversed(_children(body)))
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Text):
            yield escape(node.data, quote=False)
        elif node.namespace is Namespace.HTML and node.tag not in DROPPED and not _is_hidden(node):
            tag = _RENAMED.get(node.tag, node.tag)
            if tag in SHOWN and tag != "body":
                yield f"<{tag}{''.join(_attributes(node, addresses))}>"
                if tag in _VOID:
                    continue
                waiting.append(f"</{tag}>")
            waiting += reversed(_children(node))
        elif node.namespace is Namespace.SVG:
            if node.tag == "svg":
                yield from drawings.drawn(node)
        elif label := _label(node):
            yield f'<span class="whimbrel-left-out">[{escape(label)}]</span>'


def _is_hidden(element: Element) -> bool:
    return element.tag == "input" and (element.attr("type") or "").lower() in ("hidden", "file", "image")


def _children(element: Element) -> list[Element | Text]:
    return [child for child in element.children if isinstance(child, (Element, Text))]


def _label(element: Element) -> str:
    """What is said in place of a formula or a film that is left out."""
    if element.tag == "math":
        return element.text.strip()[:1000]
    return "film" if element.tag == "video" else "sound" if element.tag == "audio" else ""


def _attributes(element: Element, addresses: Addresses) -> Iterator[str]:
    tag = element.tag
    for name, value in element.attrs.items():
        if name in _ATTRIBUTES or _IDENTIFIER.fullmatch(name):
            text = " ".join(value) if isinstance(value, list) else value or ""
            if not (name == "type" and tag == "input" and text.lower() not in _INPUTS):
                yield f' {name}="{escape(text)}"'
        elif name == "style" and isinstance(value, str):
            yield f' style="{escape(rewritten(value, _or_here(addresses)))}"'
    if tag in _CONTROLS:
        yield " disabled"
    if tag in ("a", "area"):
        yield from _link(element, addresses)
    elif tag == "img" and (place := _picture(element, addresses)):
        yield f' src="{escape(place)}" loading="lazy"'
    elif tag == "body" and (ground := addresses.file(element.attr("background") or "")):
        yield f' background="{escape(ground)}"'


def _picture(element: Element, addresses: Addresses) -> str:
    source = (element.attr("src") or "").strip()
    if source[:11].lower() == "data:image/":
        return source
    if source and (place := addresses.file(source)):
        return place
    # Of the sizes a picture comes in, whichever was kept.
    for candidate in (element.attr("srcset") or "").split(","):
        address = candidate.strip().split(" ")[0]
        if address and (place := addresses.file(address)):
            return place
    return ""


def _link(element: Element, addresses: Addresses) -> Iterator[str]:
    if element.tag == "a" and (name := element.attr("name")):
        yield f' name="{escape(name)}"'
    href = element.attr("href")
    target = addresses.link(href) if href is not None else None
    if target is None:
        return
    if target.fragment:
        yield f' href="#{escape(target.fragment)}"'
        return
    # The frame itself goes nowhere: our script tells the reader's page what was asked for.
    kind = "kept" if target.kept else "outside"
    yield f' href="#" data-whimbrel="{kind}" data-whimbrel-to="{escape(target.url)}"'
