"""The C++ part of a copy of cppreference: the kind of a page is told by its place and its heading.

The wiki's authors write each kind of page by a convention of their own, and keep it in a place of its own, so place
and heading name the convention without a look at the markup:

    keyword     cpp/keyword/…: one word of the language
    header      cpp/header/…: what a header file declares
    concept     cpp/concept/…: what a type has to satisfy
    language    cpp/language/…: an article on a rule of the language
    class       a page headed "std::…" with a folder of its own name, where its members are
    function    a page in such a folder, or in cpp/algorithm/

Everything else is of no kind here, because nothing but the markup would tell: cpp/types/… holds classes and
functions alike.
"""

import re
from pathlib import Path

from whimbrel.bench.structure_site import LabelledSite

_PLACES = ("keyword", "header", "concept", "language")
_HEADING = re.compile(rb'<h1 id="firstHeading"[^>]*>(?:<[^>]*>)*std::')
_HEAD_BYTES = 16_000


def kind_of(site: Path, path: str) -> str:
    """What place and heading say, or ""."""
    top, _, rest = path.partition("/")
    place, _, name = rest.partition("/")
    if top != "cpp" or not name:
        return ""
    if place in _PLACES:
        return place if "/" not in name else ""
    if _is_class(site / path):
        return "class"
    in_class = _is_class((site / path).parent.with_suffix(".html"))
    return "function" if in_class or place == "algorithm" else ""


def _is_class(page: Path) -> bool:
    if not page.with_suffix("").is_dir() or not page.is_file():
        return False
    with page.open("rb") as file:
        return _HEADING.search(file.read(_HEAD_BYTES)) is not None


SITE = LabelledSite(
    name="cppreference",
    package="cppreference-doc-en-html",
    folder=Path("/usr/share/cppreference/doc/html/en"),
    start="index.html",
    kinds=("class", "concept", "function", "header", "keyword", "language"),
    kind_words=re.compile(
        r"\b(?:class(?:es)?|concepts?|functions?|func|members?|headers?|keywords?|languages?|algorithms?)\b"
    ),
    kind_of=kind_of,
    background=500,
)
