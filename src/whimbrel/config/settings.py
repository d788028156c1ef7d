"""The settings, each with what it means.

Units are in the names: a `…_seconds` setting also accepts "30s", "5m", "2h", a `…_bytes` setting "32MB".
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from whimbrel.readers.contract import ReaderSettings
from whimbrel.search.contract import SearchSettings

Texts = tuple[str, ...]
Count = Annotated[int, Meta(ge=0)]
Several = Annotated[int, Meta(ge=1)]
Pause = Annotated[float, Meta(ge=0)]
Period = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Kind = Literal["html", "text", "pdf", "office", "feed", "any"]


def about(text: str) -> Meta:
    return Meta(description=text)


class Crawl(Struct, frozen=True, kw_only=True):
    seeds: Annotated[Texts, about("where to begin")] = ()
    limit: Annotated[Count | None, about("pages kept in the folder, in all")] = None
    collection: Annotated[
        Several | None,
        about("hold so many pages, and go on: the least important makes room when a more important one is met"),
    ] = None
    depth: Annotated[Count | None, about("links followed from the nearest seed")] = None
    order: Annotated[
        Literal["breadth", "depth", "coverage", "priority", "similarity"],
        about(
            "which page comes next: the nearest, the farthest, the one that leads to most, priority lists, the one "
            "most like those kept in the words of `query` and by links"
        ),
    ] = "breadth"
    query: Annotated[str | None, about('words by which pages are alike, for `order = "similarity"`')] = None
    scope: Annotated[
        Literal["host", "domain", "prefix", "list"],
        about("where links may lead: the seeds' hosts, their domains, below the seeds' paths, nowhere"),
    ] = "host"
    include: Annotated[Texts, about("patterns (regular expressions) of which a URL must match one")] = ()
    exclude: Annotated[Texts, about("patterns of which a URL may match none")] = ()
    judges: Annotated[
        str,
        about("with `like` and a topic: kept is what any of them wants, what all do, or a rule: see docs/topic.md"),
    ] = "any"
    like: Annotated[Texts, about("pages that show the kind of page to keep; others are followed, not kept")] = ()
    shows: Annotated[
        Texts,
        about("keep only pages that show a picture of one of these classes (`whimbrel shapes`): see docs/images.md"),
    ] = ()
    look_at_pictures: Annotated[
        Count, about("pictures of a page that are looked at before it is judged, where a class of them is asked for")
    ] = 8
    types: Annotated[tuple[Kind, ...], about("kinds of documents kept")] = ("html", "text", "pdf", "office", "feed")
    migrants: Annotated[
        Several | str, about('crawling processes: a number, a range like "1-4", or "auto", one to as many as cores')
    ] = "auto"
    time_limit_seconds: Annotated[Period | None, about("end the run cleanly after this time")] = None
    assets: Annotated[bool, about("keep same-site style sheets and images of kept pages")] = False
    only: Annotated[
        Literal["images"] | None, about("keep pictures alone, and the pages that show them; `limit` counts pictures")
    ] = None
    sitemaps: Annotated[bool, about("also take the pages that a site's sitemaps list")] = True
    exhaustive: Annotated[
        bool, about("also ask for URLs of kinds of which a sample was refused throughout, or brought nothing new")
    ] = False
    twins_seconds: Annotated[
        Pause, about("longest time that a crawl or refresh looks for near-duplicates when it has ended; 0: not at all")
    ] = 30.0
    filter: Annotated[
        dict[str, Any] | str | None, about("a filter as a table, or `module:attribute` of one in Python")
    ] = None
    keep: Annotated[
        str | None, about("an expression (CEL) that a page must fulfil to be kept; links of others are followed")
    ] = None
    keep_program: Annotated[
        str | None, about("a Python file with a function `keep(page)` that says the same, run in a sandbox")
    ] = None


class Topic(Struct, frozen=True, kw_only=True):
    subject: Annotated[str | None, about("keep only pages about this, in words; others are followed, not kept")] = None
    examples: Annotated[Texts, about("pages that show the topic")] = ()
    terms: Annotated[str | None, about("a file of keywords with weights, as `whimbrel topic --save` writes it")] = None
    strategy: Annotated[
        Literal["learned", "best", "shark", "fish", "hits", "pagerank", "breadth", "depth"],
        about("which page comes next: by what lay behind similar links, or one of the older ways"),
    ] = "learned"
    scorer: Annotated[
        Literal["learned", "paper"],
        about("how relevance is told: learned while crawling, or by the papers' formula of shares"),
    ] = "learned"
    threshold: Annotated[
        Share, about("relevance from which on a page is kept, 0 to 1; 0: found out while crawling")
    ] = 0.0
    keywords: Annotated[Several, about("terms of the example pages that become keywords")] = 20
    language: Annotated[str | None, about("language of the topic as a code like `en`; unset: that of the examples")] = (
        None
    )
    patience_pages: Annotated[
        Count, about("the crawl ends when the last so many pages brought next to nothing relevant; 0: never")
    ] = 500
    seed_pages: Annotated[Several, about("pages of the index that a topic without examples begins with")] = 10
    search_url: Annotated[
        str | None,
        about("a search endpoint (OpenSearch or JSON) asked for seeds where the index has too few: see docs/topic.md"),
    ] = None


class Fetch(Struct, frozen=True, kw_only=True):
    delay_seconds: Annotated[
        Pause | None, about("pause between two requests to a host; unset means 1, on loopback 0")
    ] = None
    user_agent: Annotated[str | None, about("the name we go by; unset means `whimbrel/VERSION (+CONTACT)`")] = None
    contact: Annotated[str | None, about("address or page by which a webmaster reaches you")] = None
    headers: Annotated[dict[str, str], about("headers sent to every host; no credentials")] = {}
    proxy: Annotated[str | None, about("URL of a proxy; one with a password as `env:NAME` or `file:PATH`")] = None
    max_size_bytes: Annotated[Several, about("largest document, decoded")] = 32_000_000
    total_seconds: Annotated[Period, about("longest time for one document")] = 120.0
    connect_seconds: Annotated[Period, about("longest time to connect")] = 15.0
    stall_seconds: Annotated[Period, about("longest silence of a server")] = 30.0
    allow_networks: Annotated[Texts, about("private networks that may be crawled, e.g. `10.1.0.0/16`")] = ()
    ca_file: Annotated[str | None, about("certificates trusted beside the system's")] = None
    robots_off_hosts: Annotated[Texts, about("hosts whose robots.txt is not asked; name only your own")] = ()
    directives_off_hosts: Annotated[
        Texts, about("hosts whose pages may say noindex, noarchive or nofollow in vain; name only your own")
    ] = ()


class Refresh(Struct, frozen=True, kw_only=True):
    gone_after_seconds: Annotated[
        Pause, about("a missing page is asked again after this time before it counts as gone")
    ] = 86_400.0
    confirm_after_seconds: Annotated[Pause, about("with --confirm, a missing page is asked again after this time")] = (
        60.0
    )
    keep_noise: Annotated[bool, about("also keep versions in which nothing changed but noise")] = False
    tell_unread: Annotated[bool, about("also tell of changes that nobody reads: scripts, styles and looks alone")] = (
        False
    )
    schedule: Annotated[
        Literal["rate", "rounds"],
        about("what is due: by the estimated rate of change, or by a count of rounds (days) that halves and grows"),
    ] = "rate"
    expand: Annotated[bool, about("also look at pages linked from one that changed")] = True
    budget: Annotated[Several | None, about("visits a refresh may make; with --watch, an hour")] = None


class Repository(Struct, frozen=True, kw_only=True):
    path: Annotated[str, about("the folder that keeps everything")] = "whimbrel-data"
    warc_file_bytes: Annotated[Several, about("size at which a new WARC file is begun")] = 1 << 30


class Migrants(Struct, frozen=True, kw_only=True):
    choose: Annotated[
        Literal["weighted_round_robin", "ahp", "least_loaded", "round_robin", "host_hash"],
        about("how the migrant for a host is chosen"),
    ] = "weighted_round_robin"
    judgements: Annotated[
        Texts,
        about("how the criteria compare, on Saaty's scale: the rows above the diagonal, e.g. `1/7 1/8 2 1/4 1 3 1/2`"),
    ] = ()


class Places(Struct, frozen=True, kw_only=True):
    entries_first: Annotated[
        bool, about("places send the index entry of a new page first, and its body when it is asked for")
    ] = False
    check_share: Annotated[
        Share, about("share of a place's pages that home fetches too and compares; half at first and in doubt; 0: none")
    ] = 0.06
    server: Annotated[
        str,
        about("your own NATS server with TLS, `nats://HOST:PORT`, a cluster with commas; empty: one is started"),
    ] = ""
    account: Annotated[
        str,
        about("`env:NAME` or `file:PATH` that holds the secret key (SA…) of the account on that server"),
    ] = ""


class Log(Struct, frozen=True, kw_only=True):
    file: Annotated[str | None, about("append a JSON line for every visit to this file")] = None


class SiteTable(Struct, frozen=True, kw_only=True):
    """One `[[site]]` table. None leaves the general setting in force."""

    host: Annotated[str | None, about("the host meant; either this or `prefix` is required")] = None
    prefix: Annotated[str | None, about("the beginning of the URLs meant")] = None
    auth: Annotated[
        str | None, about("`env:NAME` or `file:PATH` that holds `user:password`, or `USER:env:NAME`; see below")
    ] = None
    headers: Annotated[
        dict[str, str], about("headers for this site only; secret values as `env:NAME` or `file:PATH`")
    ] = {}
    cookies: Annotated[
        str | None, about("`env:NAME` or `file:PATH` that holds `name=value; …`, or is a cookies.txt")
    ] = None
    login: Annotated[str | None, about("the page with the form by which people log in there; see below")] = None
    login_fields: Annotated[dict[str, str], about("what is written into which of its fields, but for secrets")] = {}
    login_secrets: Annotated[
        dict[str, str], about("its fields that are secret, such as the password, as `env:NAME` or `file:PATH`")
    ] = {}
    login_check: Annotated[
        str | None,
        about("words that only those who are in see on the page after it; unset: that the form is gone is enough"),
    ] = None
    avoid: Annotated[
        Texts | None, about("patterns of links that act, which are not followed with credentials; unset: see below")
    ] = None
    delay_seconds: Annotated[Pause | None, about("as in [fetch]")] = None
    hours: Annotated[
        str | None, about('hours in which it may be asked, by the clock of this machine, such as "22-6"; unset: always')
    ] = None
    include: Annotated[Texts | None, about("as in [crawl]")] = None
    exclude: Annotated[Texts | None, about("as in [crawl]")] = None
    depth: Annotated[Count | None, about("as in [crawl]")] = None
    limit: Annotated[Count | None, about("URLs of this host visited, at the most")] = None
    notify: Annotated[
        Literal["everything", "trivial", "small", "medium", "large", "complete", "nothing"] | None,
        about("of which of its changes those in [[notify]] are told at all: of this degree at least, or of none"),
    ] = None
    notify_words: Annotated[str | None, about("they are told only where all of these words came or went")] = None
    lower_path: Annotated[bool, about("paths differing in case are one page")] = False
    drop_trailing_slash: Annotated[bool, about("`/a/` and `/a` are one page")] = False
    drop_default_document: Annotated[bool, about("`/a/index.html` and `/a/` are one page")] = False


class PlaceTable(Struct, frozen=True, kw_only=True):
    """One `[[place]]` table: where a migrant can be sent with `migrants dispatch`."""

    name: Annotated[str, about("what the place is called; required")] = ""
    folder: Annotated[str, about("the folder that a migrant works in there")] = ""
    cores: Annotated[tuple[int, ...], about("the cores that it may use; none named means all")] = ()


class NotifyTable(Struct, frozen=True, kw_only=True):
    """One `[[notify]]` table: who is told of which changes."""

    to: Annotated[
        str, about("where to tell: an address of `apprise`, or `env:NAME`, `file:PATH` that holds it; required")
    ] = ""
    site: Annotated[str, about("only changes on this host")] = ""
    kind: Annotated[str, about("only these kinds, as in `whimbrel changes --kind`")] = ""
    degree: Annotated[str, about("changes of this degree at least: trivial, small, medium, large, complete")] = ""
    words: Annotated[str, about("only where all of these words came or went")] = ""
    most_an_hour: Annotated[Several, about("notices within an hour; what is more comes together in the next")] = 6
    quiet: Annotated[str, about('hours without notices, by the clock of this machine, such as "22-7"')] = ""
    reader: Annotated[str, about("where `whimbrel serve` shows the folder: notices lead to the difference there")] = ""


class Settings(Struct, frozen=True, kw_only=True):
    crawl: Crawl = Crawl()
    topic: Topic = Topic()
    fetch: Fetch = Fetch()
    refresh: Refresh = Refresh()
    repository: Repository = Repository()
    migrants: Migrants = Migrants()
    places: Places = Places()
    search: SearchSettings = SearchSettings()
    readers: ReaderSettings = ReaderSettings()
    log: Log = Log()
    site: tuple[SiteTable, ...] = ()
    place: tuple[PlaceTable, ...] = ()
    notify: tuple[NotifyTable, ...] = ()


def default_user_agent(version: str, contact: str | None) -> str:
    """`whimbrel/0.1 (+contact)`; robots.txt groups are matched against the product token `whimbrel`."""
    product = f"whimbrel/{'.'.join(version.split('.')[:2])}"
    return f"{product} (+{contact})" if contact else product
