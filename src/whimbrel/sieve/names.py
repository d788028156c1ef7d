"""What is wrong with the names in an expression, before any page is looked at: CEL itself says so only when it comes to
them, which may be after a thousand pages."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from whimbrel.records.sifting import FIELDS

_TEXTS = re.compile(
    r"""[rR]?(?:\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*""", re.DOTALL
)
_FIELD = re.compile(r"\bpage\s*\.\s*([A-Za-z_]\w*)")
_BOUND = re.compile(r"\.\s*(?:all|exists|exists_one|map|filter)\s*\(\s*([A-Za-z_]\w*)\s*,")
_OPERATORS = re.compile(r"[^\w.]|^_|_$")
FUNCTIONS = frozenset({
    "size", "contains", "startsWith", "endsWith", "matches", "string", "int", "uint", "double", "bytes", "duration",
    "timestamp", "type", "dyn", "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear",
    "getHours", "getMinutes", "getSeconds", "getMilliseconds", "max", "min",
})  # fmt: skip
MACROS = ("all", "exists", "exists_one", "map", "filter", "has")


def wrong_name(source: str, variables: Iterable[str], functions: Iterable[str]) -> str:
    """The first name that means nothing, where it stands and what may have been meant; "" where all mean something."""
    code = _TEXTS.sub(lambda text: " " * len(text[0]), source)
    for field in _FIELD.finditer(code):
        if field[1] not in FIELDS:
            return f"{place(source, field.start(1))}: a page has no `{field[1]}`{_meant(field[1], FIELDS)}"
    bound = {*_BOUND.findall(code), "page"}
    known = [*FUNCTIONS, *MACROS]
    for name in functions:
        if not _OPERATORS.search(name) and name not in known:
            return f"{_stands(source, code, name)}: there is no function `{name}`{_meant(name, known)}"
    for name in variables:
        if name not in bound and not name.startswith(("@", "__")) and name not in known:
            meant = f"; did you mean `page.{name}`?" if name in FIELDS else "; what is asked for begins with `page.`"
            return f"{_stands(source, code, name)}: `{name}` stands for nothing{meant}"
    return ""


def place(source: str, at: int) -> str:
    """For a person: "line 2, character 7", without the line where there is one only."""
    line = source.count("\n", 0, at) + 1
    character = at - (source.rfind("\n", 0, at) + 1) + 1
    return f"line {line}, character {character}" if "\n" in source.strip() else f"character {character}"


def _stands(source: str, code: str, name: str) -> str:
    found = re.search(rf"\b{re.escape(name)}\b", code)
    return place(source, found.start() if found else 0)


def _meant(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(sorted(known))}"
