"""The target of `<meta http-equiv=refresh>`, after the HTML standard's shared declarative refresh steps."""

import re

from turbohtml import Element

LONGEST_DELAY_SECONDS = 10

_REFRESH = re.compile(r"[\s]*(\d*)[\d.]*(?:[\s]*[;,][\s]*|[\s]+|\Z)(.*)", re.DOTALL)
_NAMED = re.compile(r"url\s*=\s*", re.IGNORECASE)


def refresh_target(meta: Element) -> str:
    """The address as written, "" unless it is another document's and the page gives way within seconds."""
    name = meta.attr("http-equiv")
    if name is None or name.strip().lower() != "refresh":
        return ""
    found = _REFRESH.match(meta.attr("content") or "")
    if found is None or len(found[1]) > 4 or int(found[1] or "0") > LONGEST_DELAY_SECONDS:
        return ""
    target = _unquoted(_NAMED.sub("", found[2], count=1) if _NAMED.match(found[2]) else found[2])
    return "" if target.startswith("#") else target


def _unquoted(text: str) -> str:
    if text[:1] in ('"', "'"):
        text = text[1:].partition(text[0])[0]
    return text.strip()
