"""The places within a page that links can lead to, and its links to places, here or on other pages.

Where a place is, the HTML standard says (§7.4.6.3): an element with that id, else with the id that is left once %XX is
undone, else an anchor of that name; "top" is the top wherever there is no such place.
"""

from urllib.parse import unquote

from msgspec import Struct

from whimbrel.parse.document import tree_of

WORDS_CHARACTERS = 300
_NO_PLACES = ("!", "/", ":~:", "=", "?")
"""What begins so is a state of a program, or a quotation (URL Fragment Text Directives)."""
_RENAMED = "user-content-"
"""Put before ids by sites that show what others wrote; their scripts lead there without it."""


class PlaceLink(Struct, frozen=True):
    """`href` is as written, `fragment` what stands behind its "#"."""

    href: str
    fragment: str
    words: str


class NamedPlaces(Struct, frozen=True):
    names: frozenset[str]
    links: list[PlaceLink]
    base: str

    def has(self, fragment: str) -> bool:
        decoded = unquote(fragment)
        there = fragment in self.names or decoded in self.names or f"{_RENAMED}{decoded}" in self.names
        return there or not fragment or decoded.lower() == "top"


def named_places(body: bytes, content_type: str) -> NamedPlaces:
    """Of a page of markup."""
    document, _ = tree_of(body, content_type)
    names = {element.attr("id") or "" for element in document.select("[id]")}
    names |= {element.attr("name") or "" for element in document.select("a[name]")}
    base = document.find("base", href=True)
    links = []
    for element in document.select('a[href*="#"], area[href*="#"]'):
        href = element.attr("href") or ""
        fragment = href.partition("#")[2].strip()
        if fragment and not fragment.startswith(_NO_PLACES):
            links.append(PlaceLink(href, fragment, " ".join(element.text.split())[:WORDS_CHARACTERS]))
    return NamedPlaces(frozenset(names - {""}), links, (base.attr("href") or "").strip() if base is not None else "")
