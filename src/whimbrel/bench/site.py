"""The pages that a crawl of a folder ought to find, worked out from the files alone."""

import re
from collections import deque
from html import unescape
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote

# Deliberately not our parser: what it overlooked would be missing on both sides.
_HREF = re.compile(rb"""<a\s[^>]*?\bhref\s*=\s*(?:"([^"#?]*)|'([^'#?]*)|([^\s>#?"']+))""", re.IGNORECASE)


def reachable(site: Path, start: str = "index.html") -> list[str]:
    """Paths of the HTML files that links lead to from `start`, nearest first."""
    found = {start: None}
    waiting = deque([start])
    known = {str(file.relative_to(site)) for file in site.rglob("*.html")}
    while waiting:
        path = waiting.popleft()
        folder = path.rpartition("/")[0]
        hrefs = {next(filter(None, match), b"") for match in _HREF.findall((site / path).read_bytes())}
        for href in sorted(hrefs):
            target = _resolve(folder, href)
            if target in known and target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


def _resolve(folder: str, href: bytes) -> str:
    written = unquote(unescape(href.decode("utf-8", "replace")))
    if not written or ":" in written.partition("/")[0] or written.startswith("//"):
        return ""
    whole = written[1:] if written.startswith("/") else f"{folder}/{written}" if folder else written
    path = normpath(whole)
    return f"{path}/index.html" if written.endswith("/") else path
