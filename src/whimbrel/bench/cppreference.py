"""A copy of cppreference: the kind of a page is what the wiki's other pages call it, or the namespace it is in.

Every list of the wiki says behind each link what it leads to: "(class template)", "(public member function)". Authors
choose that word by the template of the list's row, and it stands on other pages than the one it names. Some kinds of
pages have a namespace of their own instead, and no list names them:

    function    called a function, member function or function template, and nothing else
    class       called a class, struct, class template or a specialization of one, and nothing else, with pages of its
                own in the folder of its name: those of its members
    concept     cpp/concept/…: what a type has to satisfy, a namespace renamed "named requirements" later
    header      cpp/header/…: what a header file declares
    keyword     cpp/keyword/…, c/keyword/…: one word of the language

Articles on the language (cpp/language/…, c/language/…) are of no kind: each has the sections that its subject asks for,
as a chapter of a book has; there is no layout that they share. What the lists call a class and has no pages of its own
is a type trait, a function object or a tag, told on one page in the layout of neither. Constants, macros, enumerations,
typedefs and the concepts of one experimental library are of no kind either: of each there are fewer than a hundred
pages in all, most share a page with others, and no namespace sets them apart.
"""

import posixpath
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from whimbrel.bench.structure_site import LabelledSite

_PLACED = re.compile(r"(?:cpp/(concept|header)|(?:cpp|c)/(keyword))/[^/]+$")
_ARTICLE = re.compile(r"(?:cpp|c)/language/")
_ROW = re.compile(r'<tr class="t-dsc">(.*?)</td>(.*?)</tr>', re.DOTALL)
_TARGET = re.compile(r'href="([^"#:]+)')
_WORD = re.compile(r'<span class="t-mark">\(([^<)]*)\)</span>')
_FUNCTION = re.compile(r"(?:\w+ )*function(?: template)?")
_CLASS = re.compile(r"(?:public member )?(?:class|struct)(?: template)?(?: specialization)?")


def kind_of(site: Path, path: str) -> str:
    """What the namespace or other pages say, or ""."""
    placed = _PLACED.match(path)
    if placed:
        return placed[1] or placed[2]
    words = _words(site).get(path, set()) if not _ARTICLE.match(path) else set()
    if words and all(map(_FUNCTION.fullmatch, words)):
        return "function"
    if words and all(map(_CLASS.fullmatch, words)) and (site / path).with_suffix("").is_dir():
        return "class"
    return ""


@cache
def _words(site: Path) -> dict[str, set[str]]:
    """What each page is called in the lists of all pages."""
    called: dict[str, set[str]] = defaultdict(set)
    for file in sorted(site.rglob("*.html")):
        folder = file.parent.relative_to(site).as_posix()
        for links, about in _ROW.findall(file.read_text("utf-8", "replace")):
            words = _WORD.findall(about)
            for target in _TARGET.findall(links):
                called[posixpath.normpath(posixpath.join(folder, unquote(target)))].update(words)
    return called


SITE = LabelledSite(
    name="cppreference",
    package="cppreference-doc-en-html",
    folder=Path("/usr/share/cppreference/doc/html/en"),
    start="index.html",
    kinds=("class", "concept", "function", "header", "keyword"),
    kind_words=re.compile(
        r"\b(?:class(?:es)?|concepts?|functions?|func|members?|headers?|keywords?|languages?|algorithms?)\b"
    ),
    kind_of=kind_of,
    background=500,
)
