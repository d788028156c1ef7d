"""How deep a tag stands, told from the tags before it.

A model of the HTML standard's stack of open elements (§13.2.4.2) and list of active formatting elements
(§13.2.4.3) that is only as exact as needed: an ordinary page, however carelessly written, must stay below the
limits, and a page built to go beyond them must not.
"""

from dataclasses import dataclass, field

FORMATTING = frozenset(
    {b"b", b"big", b"code", b"em", b"font", b"i", b"nobr", b"s", b"small", b"strike", b"strong", b"tt", b"u"}
)
"""Elements opened again in the next block when left open. `a` is not: a second one ends the first."""

_CELL = frozenset({b"td", b"th", b"caption"})
_ROW = frozenset({b"tr", b"tbody", b"thead", b"tfoot", b"colgroup"})
_FOREIGN = frozenset({b"svg", b"math"})
# Void elements, and elements a sibling's start ends: these cannot nest without a counted one between them.
_UNCOUNTED = frozenset(
    b"area base br col embed hr img input link meta param source track wbr keygen frame basefont bgsound image "
    b"a p li dt dd option html head body form".split()
)


@dataclass(frozen=True, slots=True)
class NestingLimits:
    depth: int
    formatting: int
    roots: int


@dataclass(slots=True)
class _Scope:
    """A part of the page that keeps its open elements to itself: all of it, a table, or a table's cell."""

    kind: bytes
    stack: list[bytes] = field(default_factory=list)
    open: dict[bytes, int] = field(default_factory=dict)
    formatting: dict[bytes, int] = field(default_factory=dict)
    active: int = 0


class Nesting:
    """Says of each tag whether it may stay, and remembers how many could not."""

    def __init__(self, limits: NestingLimits) -> None:
        self.foreign = 0
        """SVG and MathML elements open now: inside them no element's content is raw text."""
        self._limits = limits
        self._scopes = [_Scope(b"page")]
        self._depth = 0
        self._active = 0
        self._roots = 0
        self._left_out: dict[bytes, int] = {}
        self._too_deep = 0
        self._too_many = 0
        self._repeated = 0

    def open(self, name: bytes) -> bool:
        if name in FORMATTING:
            return self._open_formatting(name)
        if name in _UNCOUNTED:
            return self._open_uncounted(name)
        if (name in _CELL or name in _ROW) and not self.foreign:
            self._open_table_part(name)
            return True
        if self._depth >= self._limits.depth:
            self._too_deep += 1
            self._left_out[name] = self._left_out.get(name, 0) + 1
            return False
        self._depth += 1
        if name == b"table":
            self._scopes.append(_Scope(b"table"))
        else:
            self.foreign += name in _FOREIGN
            scope = self._scopes[-1]
            scope.stack.append(name)
            scope.open[name] = scope.open.get(name, 0) + 1
        return True

    def close(self, name: bytes) -> bool:
        if self._left_out.get(name):
            self._left_out[name] -= 1
            return False
        scope = self._scopes[-1]
        if name in FORMATTING:
            if scope.formatting.get(name):
                scope.formatting[name] -= 1
                scope.active -= 1
                self._active -= 1
        elif name == b"table":
            self._close_table()
        elif name in _CELL or name in _ROW:
            if scope.kind == b"cell":
                self._leave()
        elif scope.open.get(name):
            self._pop_to(scope, name)
        return True

    def notes(self) -> list[str]:
        counted = (
            (self._too_deep, f"nested deeper than {self._limits.depth}"),
            (self._too_many, f"more than {self._limits.formatting} formatting elements left open"),
            (self._repeated, f"more than {self._limits.roots} <html> and <body> tags"),
        )
        return [f"{what}: {count} tags left out" for count, what in counted if count]

    def _open_formatting(self, name: bytes) -> bool:
        if self._active >= self._limits.formatting:
            self._too_many += 1
            self._left_out[name] = self._left_out.get(name, 0) + 1
            return False
        scope = self._scopes[-1]
        scope.formatting[name] = scope.formatting.get(name, 0) + 1
        scope.active += 1
        self._active += 1
        return True

    def _open_uncounted(self, name: bytes) -> bool:
        if name != b"html" and name != b"body":
            return True
        self._roots += 1
        if self._roots > self._limits.roots:
            self._repeated += 1
            return False
        return True

    def _open_table_part(self, name: bytes) -> None:
        if self._scopes[-1].kind == b"cell":
            self._leave()
        if name in _CELL and self._scopes[-1].kind == b"table":
            self._scopes.append(_Scope(b"cell"))

    def _close_table(self) -> None:
        if self._scopes[-1].kind == b"cell":
            self._leave()
        if self._scopes[-1].kind != b"table":
            return
        self._depth -= 1
        orphans = self._leave()
        # What was opened in a table but outside its cells goes on after it: only a cell clears the list.
        heir = self._scopes[-1]
        heir.active += orphans.active
        self._active += orphans.active
        for name, count in orphans.formatting.items():
            heir.formatting[name] = heir.formatting.get(name, 0) + count

    def _leave(self) -> _Scope:
        scope = self._scopes.pop()
        self._depth -= len(scope.stack)
        self._active -= scope.active
        self.foreign -= sum(scope.open.get(name, 0) for name in _FOREIGN) if self.foreign else 0
        return scope

    def _pop_to(self, scope: _Scope, name: bytes) -> None:
        while True:
            popped = scope.stack.pop()
            scope.open[popped] -= 1
            self._depth -= 1
            self.foreign -= popped in _FOREIGN
            if popped == name:
                return
