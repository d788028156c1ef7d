"""Filters as plain tables: what TOML declares and what travels on the wire.

A table has one or more of the keys below; several in one table must all accept:

    domain = ["example.org"]          extension = ["html", ""]
    prefix = "https://example.org/d"  all = [{…}, {…}]    not = {…}
    protocol = "https"                any = [{…}, {…}]
    pattern = ["/[0-9]+/"]            plugin = "package.module:function"
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from whimbrel.urls.criteria import (
    All,
    Any,
    Domain,
    Extension,
    Filter,
    Not,
    Pattern,
    Plugin,
    Prefix,
    Protocol,
    found,
)

__all__ = [
    "All",
    "Any",
    "Domain",
    "Extension",
    "Filter",
    "Not",
    "Pattern",
    "Plugin",
    "Prefix",
    "Protocol",
    "from_table",
    "load",
    "to_table",
    "travels",
]

Table = dict[str, object]

_BY_VALUES: dict[str, type[Domain] | type[Prefix] | type[Protocol] | type[Pattern] | type[Extension]] = {
    "domain": Domain,
    "prefix": Prefix,
    "protocol": Protocol,
    "pattern": Pattern,
    "extension": Extension,
}
_BY_MEMBERS: dict[str, type[All] | type[Any]] = {"all": All, "any": Any}
KEYS = (*_BY_VALUES, *_BY_MEMBERS, "not", "plugin")


def from_table(table: Mapping[str, object]) -> Filter:
    """The filter a table declares. ValueError says what is wrong and, for a misspelt key, what was meant."""
    if not isinstance(table, Mapping):
        raise ValueError(f"a filter is a table, not {table!r}")
    if not table:
        raise ValueError(f"a filter table is empty; give it one of {', '.join(KEYS)}")
    filters = tuple(_filter(key, value) for key, value in table.items())
    return filters[0] if len(filters) == 1 else All(filters)


def to_table(filter_: Filter) -> Table:
    """The table that `from_table` reads back as an equal filter."""
    match filter_:
        case All(members) | Any(members):
            return {_key(filter_): [to_table(member) for member in members]}
        case Not(member):
            return {"not": to_table(member)}
        case Plugin(name):
            return {"plugin": name}
        case Prefix(values) | Pattern(values) | Domain(values) | Protocol(values) | Extension(values):
            return {_key(filter_): list(values)}


def travels(declared: object) -> bool:
    """Whether a filter is the same everywhere. One in Python is this machine's own: another may not have it, and must
    not run what somebody else names."""
    if isinstance(declared, Mapping):
        return "plugin" not in declared and all(travels(value) for value in declared.values() if _holds_tables(value))
    if isinstance(declared, Sequence) and not isinstance(declared, str):
        return all(map(travels, declared))
    return False


def _holds_tables(value: object) -> bool:
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return isinstance(value, Mapping) or (listed and any(isinstance(one, Mapping) for one in value))  # type: ignore[attr-defined]


def load(name: str) -> Plugin:
    """A filter in Python: `package.module:function`, or the name of an entry point in `whimbrel.filters`.

    The function takes the URL and returns a bool or a `Verdict`. ValueError where it cannot be found.
    """
    found(name)
    return Plugin(name)


def _filter(key: str, value: object) -> Filter:
    if key in _BY_VALUES:
        return _BY_VALUES[key](_texts(key, value))
    if key in _BY_MEMBERS:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError(f'"{key}" takes a list of filter tables, not {value!r}')
        return _BY_MEMBERS[key](tuple(map(from_table, value)))
    if key == "not":
        if not isinstance(value, Mapping):
            raise ValueError(f'"not" takes one filter table, not {value!r}')
        return Not(from_table(value))
    if key == "plugin":
        if not isinstance(value, str):
            raise ValueError(f'"plugin" takes one text, not {value!r}')
        return load(value)
    near = get_close_matches(key, KEYS, n=1, cutoff=0.0)
    raise ValueError(f'unknown filter "{key}"; did you mean "{near[0]}"?')


def _texts(key: str, value: object) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if isinstance(values, Sequence) and values and all(isinstance(text, str) for text in values):
        return tuple(values)
    raise ValueError(f'"{key}" takes a text or a list of texts, not {value!r}')


def _key(filter_: Filter) -> str:
    return type(filter_).__name__.lower()
