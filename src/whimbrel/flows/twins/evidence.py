"""Which URLs turned out to lead to one page, and which did not though a rule would have said so.

Three things speak for a rule: two URLs that hold the same page, a page that names another as its canonical address, and
a redirect. Against it speaks only what was fetched: two URLs that the rule would make one, and that hold two pages.
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from whimbrel.dedupe.dust import Evidence, Rules, RuleState, Source, observe
from whimbrel.dedupe.rewrites import EVERYWHERE, RewriteKind, RewriteRule, applied, difference, single_variants, site_of
from whimbrel.flows.twins.file import TwinsFile, Variant
from whimbrel.flows.twins.pages import TwinPages
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.views import Grouped
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.normal import normalise

ONE_PAGE = 0.9
"""Resemblance from which near-twins speak for a rule. The manuals of two releases resemble each other too, and whoever
asks for the older one would miss it."""

_rule = msgspec.json.Decoder(RewriteRule)


class Court:
    """Hears the evidence of a batch and keeps each site's rules; nothing is heard twice."""

    def __init__(self, file: TwinsFile, pages: TwinPages) -> None:
        self._file = file
        self._pages = pages
        self._rules: dict[str, Rules] = {}

    def hear(self, page: Grouped) -> int:
        """What one page says about rules for its site; returns how many pairs were new."""
        heard = dict[tuple[Url, RewriteRule], Evidence]()
        for evidence in (*self._of_variants(page), *self._of_rules(page), *self._of_claims(page)):
            place = (evidence.url, evidence.rule)
            # A page that is another's twin and not a third's is no witness for dropping what tells the three apart.
            if place not in heard or not evidence.same:
                heard[place] = evidence
        return sum(map(self._weigh, heard.values()))

    def hear_redirects(self, redirects: Iterable[tuple[Url, Url, float]]) -> int:
        pairs = ((url, difference(url, target)) for url, target, _ in redirects)
        return sum(self._weigh(Evidence(url, rule, True, "redirect")) for url, rule in pairs if rule)

    def close(self) -> None:
        """Writes the rules of the batch."""
        for site, rules in self._rules.items():
            if rules.standings:
                self._file.keep_rules(site, rules)
        self._rules.clear()

    def _weigh(self, evidence: Evidence) -> bool:
        name = msgspec.json.encode(evidence.rule).decode()
        if not self._file.keep_evidence(key_of(evidence.url), name, evidence.same):
            return False
        site = evidence.rule.site
        self._rules[site] = observe(self._rules_of(site), evidence)
        return True

    def _rules_of(self, site: str) -> Rules:
        if site not in self._rules:
            self._rules[site] = self._file.rules(site)
        return self._rules[site]

    def _of_variants(self, page: Grouped) -> Iterator[Evidence]:
        """Against the page that a rule leads to, and against others that the rule leads there."""
        for rule, target in single_variants(page.url):
            name, at = msgspec.json.encode(rule).decode(), key_of(target)
            other = self._pages.one(at)
            if other is not None:
                yield Evidence(page.url, rule, self._same(page, other.key, other.content))
            for variant in self._file.variants(at):
                if variant.rule == name and variant.url != page.key:
                    yield Evidence(page.url, rule, self._same(page, variant.url, variant.content))
            self._file.keep_variant(at, Variant(name, page.key, page.content))
        for variant in self._file.variants(page.key):
            if other := self._pages.one(variant.url):
                same = self._same(page, other.key, other.content)
                yield Evidence(other.url, _rule.decode(variant.rule), same)

    def _of_rules(self, page: Grouped) -> Iterator[Evidence]:
        """Against what the site's other rules and guesses would make of it."""
        for standing in self._rules_of(site_of(page.url)).standings:
            rule = standing.rule
            if rule.below != EVERYWHERE or rule.kind is RewriteKind.PARAMETER or standing.state is RuleState.UNDONE:
                continue
            target = applied(rule, page.url)
            if target is not None and (other := self._pages.one(key_of(target))):
                yield Evidence(page.url, rule, self._same(page, other.key, other.content))

    def _of_claims(self, page: Grouped) -> Iterator[Evidence]:
        if not page.kept and page.survivor and page.survivor != page.url:
            yield from _pair(page.url, page.survivor, _meant)
        elif (leader := self._near(page)) is not None:
            yield from _pair(page.url, leader.url, _is_view)
        if page.canonical:
            canonical = normalise(page.canonical, page.url)
            if not isinstance(canonical, Verdict) and (rule := difference(page.url, canonical)):
                yield Evidence(page.url, rule, True, "canonical")

    def _near(self, page: Grouped) -> Grouped | None:
        """The page of which this one is hardly more than another view."""
        mine = self._file.page_at(page.key)
        if mine is None or mine.leader is None or mine.similarity < ONE_PAGE:
            return None
        leader = self._file.page(mine.leader)
        return self._pages.one(leader.url) if leader is not None else None

    def _same(self, page: Grouped, key: int, content: bytes) -> bool:
        if page.content == content:
            return True
        mine, theirs = self._file.page_at(page.key), self._file.page_at(key)
        if mine is None or theirs is None or (mine.leader or mine.number) != (theirs.leader or theirs.number):
            return False
        return all(one.leader is None or one.similarity >= ONE_PAGE for one in (mine, theirs))


def _pair(url: Url, survivor: Url, accepted: Callable[[RewriteRule], bool]) -> Iterator[Evidence]:
    """Twins: the rule may lead either way."""
    source: Source = "twins"
    for one, other in ((url, survivor), (survivor, url)):
        rule = difference(one, other)
        if rule is not None and accepted(rule):
            yield Evidence(one, rule, True, source)
            return


def _meant(rule: RewriteRule) -> bool:
    """Equal pages on two hosts or schemes do not say which of them is meant: https is, and the name without www."""
    match rule.kind:
        case RewriteKind.SCHEME:
            return rule.by == "https"
        case RewriteKind.HOST:
            return not rule.by.startswith("www.")
    return True


def _is_view(rule: RewriteRule) -> bool:
    """Of pages that are nearly one, a step of the path is dropped, like /print/; not one with a number in it, by which
    releases of a manual differ, and none is put in the place of another."""
    return rule.kind is RewriteKind.SEGMENT and not rule.by and not any(map(str.isdigit, rule.what))
