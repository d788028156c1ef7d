"""What a user wrote about the pages to be kept, as it travels, and what it is told of a page."""

from typing import TypeAlias

from msgspec import Struct

KEEP_RULE = "keep"
"""By this name pages are refused that do not pass."""

FIELDS = (
    "url", "host", "path", "query", "depth", "status", "type", "bytes", "title", "text", "language", "words",
    "headings", "links", "pictures", "data", "date",
)  # fmt: skip
"""What can be asked of a page. `date` is missing where a page does not say when it was written;
it travels as Unix seconds."""

Fact: TypeAlias = str | int | float | list[str]
Facts: TypeAlias = dict[str, Fact]


class PageFilter(Struct, frozen=True, array_like=True):
    """An expression in CEL, a program in Python with a function `keep`, or both: then both must agree."""

    expression: str = ""
    program: str = ""

    def __bool__(self) -> bool:
        return bool(self.expression or self.program)

    def asks(self, field: str) -> bool:
        """Whether it may ask for this: what nobody asks for is not worked out."""
        return field in self.expression or field in self.program


NO_PAGE_FILTER = PageFilter()
