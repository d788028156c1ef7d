"""Whether a page is an empty shell that scripts are to fill.

We run no scripts. A page whose body holds nothing to read, to look at or to follow, but a script, shows a reader what
we cannot see. So does one with a few words beside an element that waits to be filled: one that is empty and has a name
(`id`), or one that HTML does not know and a script has to define (its tag has a dash).
"""

from turbohtml import Document, Element

MOST_CHARACTERS = 200
"""As many as "Loading…" or a plea for JavaScript take; an article has more."""

_CONTENT = (
    "a", "area", "audio", "canvas", "embed", "form", "frame", "iframe", "img", "input", "math", "object", "picture",
    "svg", "table", "video",
)  # fmt: skip
_NEVER_MOUNTED = frozenset({"html", "head", "body", "link", "meta", "base", "title", "br", "hr", "p"})


def is_program(script: Element) -> bool:
    """Whether a `<script>` runs; data blocks (JSON and the like) are scripts by name only (HTML standard §4.12.1)."""
    said = script.attr("type")
    if said is None:
        return True
    kind = said.strip().lower()
    return kind in ("", "module") or "javascript" in kind or "ecmascript" in kind


def made_by_scripts(document: Document, text: str, scripts: int) -> str:
    """What shows that scripts make this page; "" where nothing does. `document` has lost what no reader sees, its
    `scripts` among that; `text` is what is left to read."""
    if not scripts or len(text) > MOST_CHARACTERS or _shows_something(document):
        return ""
    told = f"{scripts} script{'s' if scripts > 1 else ''}"
    if not text:
        return f"{told}, nothing to read and no link"
    waiting = _waiting(document)
    return f"{told}, {len(text.split())} words, no link, {waiting} waits to be filled" if waiting else ""


def _shows_something(document: Document) -> bool:
    return any(element.tag != "a" or element.attr("href") is not None for element in document.iter_elements(_CONTENT))


def _waiting(document: Document) -> str:
    for element in document.iter_elements():
        if "-" in element.tag:
            return f"<{element.tag}>"
        if element.tag not in _NEVER_MOUNTED and element.attr("id") and _is_empty(element):
            return f"<{element.tag} id={element.attr('id')}>"
    return ""


def _is_empty(element: Element) -> bool:
    return not element.text.strip()
