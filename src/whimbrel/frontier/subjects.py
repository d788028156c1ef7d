"""What URLs are about: values that also stand in the URL of a kept page name that page.

`/wiki/Heron` is kept, so `?title=Heron&action=edit` and `/wiki/Special:Links/Heron` are views of it: whatever they
say, the page itself is here already. A bare number names a page only under the same name: `t=5` is another five than
`page=5`. A space is written in several ways: `returnto=Grey+heron` is about `/wiki/Grey_heron`.
"""

import re
from collections.abc import Iterable

_PIECES = re.compile("[/:]|%2F|%3A", re.IGNORECASE)
_MOST = 100_000


class Subjects:
    """In memory, and of this run alone: what it does not know is judged with more care."""

    def __init__(self) -> None:
        self._named: set[str] = set()
        self._last: dict[str, str] = {}

    def kept(self, names: Iterable[str], values: Iterable[str]) -> None:
        """The page before was mostly of the same folders, which are named already."""
        if len(self._named) < _MOST:
            for name, value in zip(names, values, strict=True):
                if value and self._last.get(name) != value:
                    self._last[name] = value
                    self._named.add(_sign(name, value))

    def has(self, name: str, value: str) -> bool:
        """`Talk:Heron` is about Heron as well."""
        return _sign(name, value) in self._named or _sign(name, _PIECES.split(value)[-1]) in self._named


def _sign(name: str, value: str) -> str:
    if value.isdigit():
        return f"{name}={value}"
    # Five times as quick as a pattern, and asked for every step of every page.
    return value.replace("+", " ").replace("_", " ").replace("%20", " ")
