"""A Rust documentation: the kind of a page is what its file name says."""

import re
from pathlib import Path

from whimbrel.bench.structure_site import LabelledSite

_CRATES = ("alloc", "core", "proc_macro", "std", "test")
_NAMED = re.compile(r"(struct|enum|trait|fn|macro)\.")


def kind_of(site: Path, path: str) -> str:
    """What the file name says, or ""."""
    top, name = path.partition("/")[0], path.rpartition("/")[2]
    if top == "src":
        return "source" if name.endswith(".rs.html") else ""
    if top not in _CRATES:
        return ""
    named = _NAMED.match(name)
    return named[1] if named else "module" if name == "index.html" else ""


SITE = LabelledSite(
    name="rust",
    package="rust-doc",
    folder=Path("/usr/share/doc/rust-doc/html"),
    start="index.html",
    kinds=("enum", "fn", "macro", "module", "source", "struct", "trait"),
    kind_words=re.compile(
        r"\b(?:structs?|enums?|traits?|fns?|fnname|functions?|macros?|mods?|modules?|source|src|srclink)\b"
    ),
    kind_of=kind_of,
    background=1_000,
)
