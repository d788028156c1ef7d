"""What became of a task, as the migrant tells it and as home keeps it."""

from enum import StrEnum

from msgspec import Struct

from whimbrel.records.url import Url

NOFOLLOW = "nofollow"
"""The rule of URLs that are known only from links that ask not to be followed."""

LOGIN = "login"
"""By this rule tasks come back of a site that answered a login with a no."""


class Outcome(StrEnum):
    """What is known of a URL. The counts of all outcomes add up to the number of URLs known."""

    DISCOVERED = "discovered"
    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    FAILED = "failed"
    GONE = "gone"
    UNREACHABLE = "unreachable"
    OUT_OF_SCOPE = "out_of_scope"


class Link(Struct, frozen=True, array_like=True):
    """A URL that home has to hear of, with the verdict that the migrant reached on it.

    `step` is its distance from the page (0 for the target of a redirect); an empty `rule` means accepted. `score` is
    what it promises where a crawl looks for pages of one kind.
    """

    key: int
    url: Url
    step: int
    hops: int
    asset: bool
    rule: str
    reason: str
    sitemap: bool = False
    score: float = 0.0


class Listing(Struct, frozen=True, array_like=True):
    """What a sitemap says about a URL that may be followed: `lastmod` in Unix seconds, `changefreq` "" if unsaid."""

    key: int
    lastmod: float | None
    changefreq: str
    priority: float | None


class Reading(Struct, frozen=True, array_like=True):
    """What the parser read, kept beside the archived bytes so that nobody has to parse them again.

    `urls`, `anchors` and `followed` run in parallel, one entry a distinct link in the order of the page. `headings` are
    in lines, `marks` the fragments that lead to them. `written_at` is when the page says that it was written, or 0.
    What was read before these were kept has none.
    """

    text: str
    urls: list[Url]
    anchors: list[str]
    followed: list[bool]
    headings: str = ""
    marks: list[str] = []
    written_at: float = 0.0


class Document(Struct, frozen=True, array_like=True):
    """A body worth keeping. `digest` is over the decoded bytes, `text_digest` over the normalised text, empty
    where there is too little text to tell pages apart; `reading` is a packed `Reading`. `sample` are hashes of some of
    its words where its URL has an id that may keep changing."""

    digest: bytes
    text_digest: bytes
    shape: int
    size: int
    mime: str
    charset: str
    title: str
    language: str
    canonical: str
    etag: str
    last_modified: str
    reading: bytes
    cut: tuple[str, ...]
    sample: bytes = b""


class Archived(Struct, frozen=True, array_like=True):
    """The WARC records of one exchange, each compressed by itself, ready to be appended. `payload_digest` is
    over the body as received, content coding kept."""

    response: bytes
    others: bytes
    payload_digest: bytes


class Exchange(Struct, frozen=True, array_like=True):
    """What was asked and what was received, as bytes: all that home needs to work out the document, its reading and its
    records, which together are larger. `raw` is the body with its content coding. With `judged` the outcome and the
    links of the visit are the migrant's own; without, home works them out too."""

    request_head: bytes
    head: bytes
    raw: bytes
    protocol: str
    address: str
    elapsed_ms: int
    hops: int
    asset: bool
    sitemap: bool
    judged: bool = False


class Visit(Struct, frozen=True, array_like=True):
    """One task done. `retry_in_seconds` is set where the task is still due; `rule` names the refusing rule or
    the kind of failure; `head` is the HTTP head, from which home can write a revisit record. `requests` are those for
    pages of a kind that it serves, the rarest kind first."""

    key: int
    url: Url
    depth: int
    outcome: Outcome
    rule: str
    reason: str
    status: int
    at: float
    received_bytes: int
    document: Document | None = None
    archived: Archived | None = None
    head: bytes = b""
    links: list[Link] = []
    retry_in_seconds: float | None = None
    listed: list[Listing] = []
    requests: list[int] = []
    private: bool = False
    """Whether it was asked for with credentials."""
    shut: bool = False
    """Whether it asks neither to be kept nor to be followed."""
    exchange: Exchange | None = None
    """In place of `document`, `archived` and `head`, where a visit travels bare."""
