"""What a folder does not hold although a reader of its sites might look for it, why, and what can be done about it.

Every URL that was met has an outcome and a rule; this says in words which of them mean that something was not seen.
What the user left out by scope or filter is not among them, nor copies of what is kept.
"""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from whimbrel.records.picturing import IMAGES_RULE, LEAST_PIXELS, SMALL_RULE
from whimbrel.records.visit import Outcome


class Unseen(Struct, frozen=True):
    """`reason` is a word for programs, `what` goes on behind the count, `advice` is a sentence."""

    reason: str
    count: int
    what: str
    advice: str


class _Kind(Struct, frozen=True):
    reason: str
    one: str
    many: str
    advice: str


_OWN = "If the site is yours, write into whimbrel.toml: [fetch]"
_HEEDED = f'{_OWN} directives_off_hosts = ["HOST"]'
_LOGIN = _Kind("login", "page asks for a login", "pages ask for a login", "Give it with --auth and crawl again.")
_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE)
_SMALL = _Kind(
    SMALL_RULE,
    f"picture is drawn smaller than {LEAST_PIXELS} pixels a side",
    f"pictures are drawn smaller than {LEAST_PIXELS} pixels a side",
    "--assets instead of --only images keeps them.",
)
_KINDS: dict[tuple[str, str], _Kind] = {
    **{
        (kept, "script_made"): _Kind(
            "script_made",
            "page is made by scripts, which are not run: its text and links are unknown",
            "pages are made by scripts, which are not run: their text and links are unknown",
            "Name pages that have text as seeds, or record the site in a browser and `whimbrel import` the WACZ file.",
        )
        for kept in _KEPT
    },
    (Outcome.REFUSED, "nofollow"): _Kind(
        "nofollow",
        "link is not followed, because the page asks so",
        "links are not followed, because pages ask so",
        f"Name what you want as seeds. {_HEEDED}",
    ),
    (Outcome.REFUSED, "robots"): _Kind(
        "robots",
        "URL is not fetched, because robots.txt asks so",
        "URLs are not fetched, because robots.txt asks so",
        f'{_OWN} robots_off_hosts = ["HOST"]',
    ),
    (Outcome.REFUSED, "noindex"): _Kind(
        "noindex",
        "page asks not to be found by searches (noindex)",
        "pages ask not to be found by searches (noindex)",
        _HEEDED,
    ),
    (Outcome.REFUSED, "noarchive"): _Kind(
        "noarchive", "page asks not to be kept (noarchive)", "pages ask not to be kept (noarchive)", _HEEDED
    ),
    (Outcome.REFUSED, "address"): _Kind(
        "address",
        "URL is at an address that is refused, such as a private network's",
        "URLs are at addresses that are refused, such as a private network's",
        "If you trust them: --allow-network NET.",
    ),
    (Outcome.REFUSED, "type"): _Kind(
        "type",
        "document is of a kind that was not asked for",
        "documents are of kinds that were not asked for",
        "--types says which are kept; --types any keeps all.",
    ),
    (Outcome.OUT_OF_SCOPE, SMALL_RULE): _SMALL,
    (Outcome.REFUSED, SMALL_RULE): _SMALL,
    (Outcome.REFUSED, IMAGES_RULE): _Kind(
        IMAGES_RULE,
        "document shows no picture",
        "documents show no picture",
        "A crawl without --only images keeps them.",
    ),
    (Outcome.REFUSED, "trap"): _Kind(
        "trap",
        "URL leads on without end or brings nothing new",
        "URLs lead on without end or bring nothing new",
        "`whimbrel status` says why it thinks so. To have some all the same, name them: whimbrel crawl URL.",
    ),
    (Outcome.REFUSED, "fruitless"): _Kind(
        "fruitless",
        "URL is like others that were tried and could not be kept",
        "URLs are like others that were tried and could not be kept",
        "`whimbrel status` names them; --exhaustive asks for all.",
    ),
    (Outcome.REFUSED, "repeated"): _Kind(
        "repeated",
        "URL repeats, under another id, what is kept already",
        "URLs repeat, under other ids, what is kept already",
        "`whimbrel status` names them; --exhaustive asks for all.",
    ),
    (Outcome.REFUSED, "collection"): _Kind(
        "collection",
        "page is less important than those in the collection",
        "pages are less important than those in the collection",
        "A larger --collection holds more.",
    ),
    (Outcome.OUT_OF_SCOPE, "depth"): _Kind(
        "depth",
        "URL lies deeper than --depth",
        "URLs lie deeper than --depth",
        "Crawl again with a larger one.",
    ),
    (Outcome.OUT_OF_SCOPE, "site_limit"): _Kind(
        "site_limit",
        "URL is beyond the limit set for its site",
        "URLs are beyond the limit set for their site",
        "Raise `limit` in that [[site]] of whimbrel.toml.",
    ),
    (Outcome.FAILED, "too_large"): _Kind(
        "too_large", "document is too large", "documents are too large", "--max-size sets the largest."
    ),
    (Outcome.FAILED, "http_401"): _LOGIN,
    (Outcome.FAILED, "http_407"): _LOGIN,
    (Outcome.FAILED, "http_403"): _Kind(
        "forbidden",
        "URL is forbidden by its server (403)",
        "URLs are forbidden by their servers (403)",
        "It may ask for a login (--auth), or turn crawlers away: ask its owner.",
    ),
}
_DUE = _Kind(
    "due",
    "URL was found and not yet visited",
    "URLs were found and not yet visited",
    "`whimbrel crawl` without a URL goes on; where a --limit was reached, give a larger one.",
)


def unseen(rules: Iterable[tuple[str, str, int]], unvisited: int) -> list[Unseen]:
    """`rules` counts URLs by outcome and rule, `unvisited` those that wait for their first visit; the most frequent
    reason comes first."""
    counted: Counter[_Kind] = Counter()
    for outcome, rule, count in rules:
        if (kind := _KINDS.get((outcome, rule))) is not None:
            counted[kind] += count
    counted[_DUE] += unvisited
    return [
        Unseen(kind.reason, count, kind.one if count == 1 else kind.many, kind.advice)
        for kind, count in counted.most_common()
        if count
    ]


def advice_on(outcome: str, rule: str) -> str:
    """What can be done about one URL; "" where nothing is known."""
    if outcome == Outcome.DISCOVERED:
        return _DUE.advice
    kind = _KINDS.get((outcome, rule))
    return kind.advice if kind is not None else ""


def only_shells(rules: Iterable[tuple[str, str, int]], pages: int) -> bool:
    """Whether all that is kept are pages that scripts were to make."""
    shells = sum(count for outcome, rule, count in rules if rule == "script_made" and outcome != Outcome.DUPLICATE)
    return 0 < pages <= shells
