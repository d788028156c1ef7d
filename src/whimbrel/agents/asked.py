"""What may be asked, tool by tool: the records that questions are checked against and that agents are shown."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

MOST_HITS = 50
MOST_CHANGES = 100
DEFAULT_TOKENS, FEWEST_TOKENS, MOST_TOKENS = 4_000, 100, 50_000

PageUrl = Annotated[str, Meta(min_length=1, max_length=8_000, description="The page's URL, as `search` gives it.")]
VersionNumber = Annotated[int, Meta(ge=1, le=2**53, description="The number of a version, as other answers give it.")]
Tokens = Annotated[
    int,
    Meta(
        ge=FEWEST_TOKENS,
        le=MOST_TOKENS,
        description="About how many tokens the page's words may take (counted as one for three bytes).",
    ),
]
When = Annotated[
    str, Meta(max_length=100, description="A date (2026-03-01), `yesterday`, or an age such as `3 days` or `12h`; UTC.")
]
SiteName = Annotated[str, Meta(max_length=300, description="Only this host, such as docs.example.org.")]


class SearchAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Search the kept pages. Gives the best pages, each with the section that answers and its anchor, the score and the
    reasons for it."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2_000,
            description='Words, "words together", -without, site:HOST, type:pdf, lang:en, has:Product, '
            "before:2024-06-30, after:2024, like:URL.",
        ),
    ]
    size: Annotated[int, Meta(ge=1, le=MOST_HITS, description="How many hits.")] = 8
    page: Annotated[int, Meta(ge=1, le=100, description="Which page of hits.")] = 1


class ReadAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Read a kept page as Markdown, its menus left out: all of it or one section, the newest version or an earlier
    one. What does not fit into the budget is told, with where to go on."""

    url: PageUrl
    section: Annotated[
        str, Meta(max_length=1_000, description="The anchor or the heading of one section, with what stands below it.")
    ] = ""
    version: VersionNumber | None = None
    as_of: When = ""
    tokens: Tokens = DEFAULT_TOKENS
    start: Annotated[int, Meta(ge=0, le=2**53, description="Where to go on: `next` of the answer before.")] = 0


class ChangesAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """What happened on the sites lately, the newest first: new, changed, moved, gone and restored pages, with the words
    that went and came; sites that answer no more (away), or again (answers)."""

    since: When = "7 days"
    until: When = ""
    site: SiteName = ""
    kind: Annotated[
        str,
        Meta(
            max_length=200,
            description="new, changed, moved, gone, restored, away, answers; of changes: structural, content, "
            "presentation, behavioural, image; several parted by commas.",
        ),
    ] = ""
    degree: Annotated[str, Meta(max_length=20, description="At least trivial, small, medium, large or complete.")] = ""
    words: Annotated[str, Meta(max_length=500, description="Only where all of these words came or went.")] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST_CHANGES, description="How many.")] = 20


class DiffAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """What differs between two kept versions of a page, place by place; the last two where none are named."""

    url: PageUrl
    before: VersionNumber | None = None
    after: VersionNumber | None = None
    tokens: Tokens = DEFAULT_TOKENS


class SitesAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Which sites are kept here, how many pages of each, and how fresh they are."""


TOOLS: dict[str, type[Struct]] = {
    "search": SearchAsked,
    "read": ReadAsked,
    "changes": ChangesAsked,
    "diff": DiffAsked,
    "sites": SitesAsked,
}


def schema_of(asked: type[Struct]) -> dict[str, Any]:
    """JSON Schema of a tool's arguments."""
    whole = msgspec.json.schema(asked)
    told: dict[str, Any] = whole["$defs"][asked.__name__]
    return {name: value for name, value in told.items() if name not in ("title", "description")}


def understood(name: str, arguments: dict[str, Any]) -> Struct | str:
    """The question, or what is wrong with it and what may be asked."""
    asked = TOOLS.get(name)
    if asked is None:
        return f"there is no tool {name[:100]!r}. There are {', '.join(TOOLS)}."
    strange = sorted(set(arguments).difference(asked.__struct_fields__))
    if strange:
        known = ", ".join(asked.__struct_fields__) or "none"
        return f"{name} has no argument {strange[0][:100]!r}. Its arguments are: {known}. Which folder is asked was chosen when this server was started."  # noqa: E501
    try:
        return msgspec.convert(arguments, asked)
    except msgspec.ValidationError as error:
        return f"{name} cannot be asked so: {error}. Its arguments are: {', '.join(asked.__struct_fields__)}."
