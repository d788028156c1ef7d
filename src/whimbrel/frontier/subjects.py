"""What URLs are about: values that also stand in the URL of a kept page name that page.

`/wiki/Heron` is kept, so `?title=Heron&action=edit` and `/wiki/Special:Links/Heron` are views of it: whatever they
say, the page itself is here already. A bare number names a page only under the same name: `t=5` is another five than
`page=5`. A space is written in several ways: `returnto=Grey+heron` is about `/wiki/Grey_heron`.
"""

import re
from collections.abc import Iterable

_PIECES = re.compile("[/:]|%2F|%3A", re.IGNORECASE)
_SPACES = re.compile("[+_]|%20")
_MOST = 100_000


class Subjects:
    """In memory, and of this run alone: what it does not know is judged with more care."""

    def __init__(self) -> None:
        self._named: set[str] = set()

    def kept(self, names: Iterable[str], values: Iterable[str]) -> None:
        if len(self._named) < _MOST:
            self._named.update(_sign(name, value) for name, value in zip(names, values, strict=True) if value)

    def has(self, name: str, value: str) -> bool:
        """`Talk:Heron` is about Heron as well."""
        return _sign(name, value) in self._named or _sign(name, _PIECES.split(value)[-1]) in self._named


def _sign(name: str, value: str) -> str:
    return f"{name}={value}" if value.isdigit() else _SPACES.sub(" ", value)
