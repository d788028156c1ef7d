"""DUST, different URLs with similar text: rules learned for a site, and withdrawn when they turn out wrong.

Whoever sees two URLs that a rule would make one tells whether they held the same page. A rule is learned when enough
pairs agree and hardly one does not, for the section of the site where that was seen, or for all of it once it was seen
in two. That a parameter may be dropped was seen with some of its values, and holds for these alone: `?lang=en` may be
every page as it is, and `?lang=de` another. Of a parameter that keeps coming with new values, like a session's, it
holds for all.

Some of the URLs that a rule would save are fetched all the same, more of them while it is young; two in a row that hold
another page withdraw it, and to be believed again it needs four times as much.
"""

from enum import StrEnum
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace
from xxhash import xxh3_64_intdigest

from whimbrel.dedupe.rewrites import EVERYWHERE, RewriteKind, RewriteRule, applied, inverse, section, values
from whimbrel.records.url import Url

LEAST_SUPPORT = 5
LEAST_CONFIDENCE = 0.97
"""Share of the pairs that must agree. One page that changed between two visits is outweighed by 33 that did not."""

WITHDRAWN_AFTER = 2
"""Samples against a learned rule, one after the other: one may be a page that changed between two visits."""

DEARER = 4
OPEN_VALUES = 8
"""Values of a parameter from which on the next one is expected to be new, and to mean as little as these did."""

LEAST_SHARE = 0.05
_YOUNG = 3.0
"""Of a rule with support s, 3/s of the URLs are fetched all the same: by the rule of three, one wrong in s/3 would have
been seen before it was learned with a chance of 95 %."""

MOST_RULES = 200
"""Rules and guesses kept for a site. Of a site that has more the guesses go for and against which least was seen: one
that was refuted a thousand times must not begin anew."""

_WHOLE_SITE = (RewriteKind.SCHEME, RewriteKind.HOST)
_SECTIONS = 2
_LARGEST = float(1 << 64)

Source = Literal["twins", "canonical", "redirect"]


class RuleState(StrEnum):
    GUESS = "guess"
    LEARNED = "learned"
    WITHDRAWN = "withdrawn"
    UNDONE = "undone"


class Evidence(Struct, frozen=True):
    """A URL, the rule that would rewrite it, and whether what it leads to is the same page."""

    url: Url
    rule: RewriteRule
    same: bool
    source: Source = "twins"


class RuleStanding(Struct, frozen=True):
    """How a rule stands. `against_in_row` are the latest samples only; `needed` is what it takes to be learned;
    `values` are those, up to eight, with which a parameter was dropped in what speaks for it."""

    rule: RewriteRule
    state: RuleState = RuleState.GUESS
    support: int = 0
    against: int = 0
    against_in_row: int = 0
    needed: int = LEAST_SUPPORT
    sections: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    values: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Of the URLs that the rule would save, how many are fetched all the same."""
        return max(LEAST_SHARE, min(1.0, _YOUNG / max(self.support, 1)))

    def covers(self, url: Url) -> bool:
        """Whether the rule is known to hold for what this URL says of its parameter."""
        if self.rule.kind is not RewriteKind.PARAMETER or len(self.values) >= OPEN_VALUES:
            return True
        return values(url, self.rule.what) <= {*self.values}

    @property
    def confidence(self) -> float:
        return self.support / (self.support + self.against) if self.support else 0.0


class Rules(Struct, frozen=True):
    """Everything thought of one site's URLs, small enough to be kept as one piece of JSON."""

    standings: tuple[RuleStanding, ...] = ()

    @property
    def learned(self) -> tuple[RuleStanding, ...]:
        return tuple(standing for standing in self.standings if standing.state is RuleState.LEARNED)


NO_RULES = Rules()


def observe(rules: Rules, evidence: Evidence) -> Rules:
    """The rules after one more pair was seen. It speaks for its section of the site, and for the whole."""
    standings = {standing.rule: standing for standing in rules.standings}
    whole, *parts = _scopes(evidence)
    if whole in standings and standings[whole].state is RuleState.UNDONE:
        return rules
    for rule in (whole, *parts):
        after = _judged(_counted(standings.get(rule, RuleStanding(rule)), evidence))
        opposite = standings.get(inverse(rule))
        if after.state is RuleState.LEARNED and opposite is not None and opposite.state is RuleState.LEARNED:
            after = replace(after, state=RuleState.GUESS)  # two rules would send every URL to and fro
        standings[rule] = after
    return Rules(_bounded(standings))


def _scopes(evidence: Evidence) -> list[RewriteRule]:
    rule = replace(evidence.rule, below=EVERYWHERE)
    if rule.kind in _WHOLE_SITE:
        return [rule]
    return [rule, replace(rule, below=section(evidence.url))]


def _counted(standing: RuleStanding, evidence: Evidence) -> RuleStanding:
    if standing.state is RuleState.UNDONE:
        return standing
    if not evidence.same:
        return replace(standing, against=standing.against + 1, against_in_row=standing.against_in_row + 1)
    return replace(
        standing,
        support=standing.support + 1,
        against_in_row=0,
        sections=tuple(sorted({*standing.sections, section(evidence.url)})[:_SECTIONS]),
        sources=tuple(sorted({*standing.sources, evidence.source})),
        values=_values(standing, evidence),
    )


def _values(standing: RuleStanding, evidence: Evidence) -> tuple[str, ...]:
    if evidence.rule.kind is not RewriteKind.PARAMETER or len(standing.values) >= OPEN_VALUES:
        return standing.values
    return tuple(sorted({*standing.values, *values(evidence.url, evidence.rule.what)}))


def _judged(standing: RuleStanding) -> RuleStanding:
    match standing.state:
        case RuleState.GUESS | RuleState.WITHDRAWN if _convincing(standing):
            return replace(standing, state=RuleState.LEARNED, against_in_row=0)
        case RuleState.LEARNED if standing.against_in_row >= WITHDRAWN_AFTER or not _credible(standing):
            return _withdrawn(standing)
    return standing


def _convincing(standing: RuleStanding) -> bool:
    wide = standing.rule.below != EVERYWHERE or standing.rule.kind in _WHOLE_SITE
    return standing.support >= standing.needed and _credible(standing) and (wide or len(standing.sections) >= _SECTIONS)


def _credible(standing: RuleStanding) -> bool:
    return standing.confidence >= LEAST_CONFIDENCE


def _withdrawn(standing: RuleStanding) -> RuleStanding:
    """What spoke for it is forgotten, what spoke against it is not."""
    return replace(
        standing, state=RuleState.WITHDRAWN, support=0, needed=standing.needed * DEARER, sections=(), values=()
    )


def _bounded(standings: dict[RewriteRule, RuleStanding]) -> tuple[RuleStanding, ...]:
    kept = list(standings.values())
    if len(kept) > MOST_RULES:
        kept.sort(key=lambda one: (one.state is not RuleState.GUESS, one.support + one.against), reverse=True)
        kept = kept[:MOST_RULES]
    return tuple(sorted(kept, key=lambda one: one.rule))


def rewrite(rules: Rules, url: Url) -> tuple[Url, RuleStanding | None]:
    """The URL to fetch instead, and of the rules that made it the one with least behind it; None where none did."""
    weakest: RuleStanding | None = None
    learned = rules.learned
    for _ in range(len(learned)):
        step = next(
            ((one, made) for one in learned if (made := applied(one.rule, url)) is not None and one.covers(url)), None
        )
        if step is None:
            break
        standing, url = step
        weakest = standing if weakest is None or standing.support < weakest.support else weakest
    return url, weakest


def sampled(url: Url, rule: RewriteRule, share: float, turn: int = 0) -> bool:
    """Whether this URL is fetched all the same, to see whether the rule still holds. The URL decides, so that every
    process decides alike; with another turn it is others'."""
    return xxh3_64_intdigest(f"{rule} {url}".encode(), turn) / _LARGEST < share


def undo(rules: Rules, rule: RewriteRule) -> Rules:
    """The user's word: the rule is not applied and not learned again, in any section below its own."""
    return Rules(
        tuple(
            replace(one, state=RuleState.UNDONE) if _covered(one.rule, rule) else one
            for one in (*rules.standings, *(() if _known(rules, rule) else (RuleStanding(rule),)))
        )
    )


def _known(rules: Rules, rule: RewriteRule) -> bool:
    return any(one.rule == rule for one in rules.standings)


def _covered(rule: RewriteRule, by: RewriteRule) -> bool:
    return replace(rule, below=by.below) == by and rule.below.startswith(by.below)


def redundant(rules: Rules, standing: RuleStanding) -> bool:
    """Whether a learned rule for the whole site says the same already."""
    whole = replace(standing.rule, below=EVERYWHERE)
    return standing.rule != whole and any(one.rule == whole for one in rules.learned)
