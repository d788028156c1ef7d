"""Where a link can lead into a page: for each heading the fragment that brings a reader to it."""

from turbohtml import Element

LEVELS = 4
_OUTERMOST = frozenset({"html", "body", "main"})


def marks(headings: list[Element]) -> list[str]:
    """For each heading its own id, that of an anchor in it, or that of the nearest element around it that begins with
    it, which no heading before stands in; "" where it has none."""
    around: set[Element] = set()
    return [_mark(heading, around) for heading in headings]


def _mark(heading: Element, around: set[Element]) -> str:
    found = heading.attr("id") or _inside(heading)
    above = heading.parent
    for _ in range(LEVELS):
        if not isinstance(above, Element) or above in around or above.tag in _OUTERMOST:
            break
        around.add(above)
        found = found or above.attr("id") or ""
        above = above.parent
    return found


def _inside(heading: Element) -> str:
    if heading.find("a") is None:
        return ""
    anchor = heading.find("a", id=True) or heading.find("a", name=True)
    return (anchor.attr("id") or anchor.attr("name") or "") if anchor is not None else ""
