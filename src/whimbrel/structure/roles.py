"""What a site's links say of the pages behind them: where they stand.

Whoever keeps a site puts the links to pages of one kind into one place of a template: commands stand in this list,
classes in that table, the way up in the header. So the places of the links that lead to a page are its roles on the
site. They are there however long the page is, however freely it was written, and whatever its address says.
"""

import re

from whimbrel.structure.shape import ROLE, numbered

MOST_ROLES = 48
"""Of a page; one that more places link to is linked from everywhere."""

REMEMBERED = 50_000
"""Pages, and places."""

_DIGITS = re.compile(r"\d+")


class Roles:
    """The roles of pages by their keys, as links are met."""

    def __init__(self) -> None:
        self._of: dict[int, set[int]] = {}
        self._known: dict[str, int] = {}

    def take(self, key: int, standing: str) -> None:
        """A link to a page, and where it stands (`parse.places`)."""
        roles = self._of.get(key)
        if roles is None:
            if len(self._of) >= REMEMBERED:
                return
            roles = self._of[key] = set()
        if len(roles) < MOST_ROLES:
            roles.add(self._known.get(standing) or self._role(standing))

    def of(self, key: int) -> frozenset[int]:
        return frozenset(self._of.get(key, ()))

    def _role(self, standing: str) -> int:
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        role = self._known[standing] = numbered(_DIGITS.sub("0", standing), ROLE)
        return role
