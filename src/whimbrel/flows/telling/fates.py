"""What became of the URLs that a person named: kept, here already, or why not and what to do."""

from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct

from whimbrel.flows.telling.unseen import advice_on
from whimbrel.records.entry import ENTRY_RULE
from whimbrel.records.picturing import IMAGES_RULE
from whimbrel.records.request import RULES
from whimbrel.records.sifting import KEEP_RULE
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import KnownUrl
from whimbrel.urls.normal import key as key_of

MOST_STEPS = 12
_HERE = frozenset({Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE})
_LED_ON = frozenset({"noindex", "noarchive", *RULES, KEEP_RULE, IMAGES_RULE, ENTRY_RULE})
"""Pages by these rules are not kept, but what they link to may be."""

_ADVICE: dict[str, str] = {
    "connect": "Run the command again when it answers, or check the address.",
    "cut": "Run the command again; the line or the server broke off.",
    "dns": "Check how the name is written.",
    "forgotten": "",  # the reason says what to do
    "http_404": "Check the address.",
    KEEP_RULE: "That is your filter's word ([crawl] keep); its links were followed.",
    ENTRY_RULE: "`whimbrel crawl` with its address brings it; entries_first = false in [places] brings all.",
    IMAGES_RULE: "Only pictures are kept, and the pages that show them ([crawl] only); its links were followed.",
    "http_410": "Check the address.",
    "redirect": "Name the URL that it ends at.",
    "slow": "Run the command again later, with a longer stall_seconds in [fetch] of whimbrel.toml.",
    "timeout": "Run the command again later.",
    "tls": "Name a file with its authority's certificates as ca_file in [fetch] of whimbrel.toml, or write http:// for https://.",
}
_ADVICE |= dict.fromkeys(RULES, "It was not asked for; its links were followed.")
_OTHERWISE = "Run the command again later."


class Fate(Struct, frozen=True):
    """`here`: it is kept, or what it leads to is. `url` is as named, `end` where it led."""

    url: Url
    end: Url
    here: bool
    outcome: str
    rule: str
    reason: str
    advice: str

    def sentence(self) -> str:
        way = f" leads to {self.end}, which" if self.end != self.url else ""
        why = f": {self.reason.rstrip('.')}" if self.reason else ""
        waits = self.outcome == Outcome.DISCOVERED
        state = "has not been visited" if waits else "is not kept"
        return f"{self.url}{way} {state}{why}. {self.advice}".rstrip()


class Rows(Protocol):
    def known(self, keys: Iterable[int]) -> dict[int, KnownUrl]: ...
    def reasons(self, keys: Iterable[int]) -> dict[int, str]: ...


def fates(urls: Iterable[Url], rows: Rows) -> list[Fate]:
    named = list(dict.fromkeys(urls))
    known = rows.known(map(key_of, named))
    return [_fate(url, known[key_of(url)], rows) for url in named if key_of(url) in known]


def _fate(url: Url, row: KnownUrl, rows: Rows) -> Fate:
    for _ in range(MOST_STEPS):
        following = rows.known([row.target]) if row.target is not None else {}
        if row.outcome in _HERE or not following:
            break
        row = following[row.target or 0]
    if row.outcome in _HERE:
        return Fate(url, row.url, True, row.outcome, "", "", "")
    reason = rows.reasons([row.key])[row.key]
    advice = advice_on(row.outcome, row.rule) or _ADVICE.get(row.rule, _OTHERWISE)
    return Fate(url, row.url, False, row.outcome, row.rule, reason, advice)


def in_vain(told: Iterable[Fate], kept_now: int, why: str) -> bool:
    """Whether nothing of what was named could be had. What a limit or a person kept from being visited was not tried;
    a page that is not to be kept has led on to others."""
    cut_short = why in ("limit", "time", "stopped", "asleep")
    fared = [
        fate.here or (cut_short and fate.outcome == Outcome.DISCOVERED) or (bool(kept_now) and fate.rule in _LED_ON)
        for fate in told
    ]
    return bool(fared) and not any(fared)
