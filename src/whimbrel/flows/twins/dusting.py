"""Rules learned for a folder's URLs, as home applies them before a page is fetched.

A URL that a rule rewrites is not fetched: the URL it becomes is. A share of such URLs is fetched all the same, each
week others, so that no page stays hidden for good; the follower that learned the rule sees what they hold, and
withdraws it when it no longer holds.
"""

from collections.abc import Callable, Mapping

from whimbrel.dedupe.dust import Rules, rewrite, sampled
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import authority

TURN_SECONDS = 7 * 86_400.0
RULE = "dust"


class Dusting:
    """Which URL shows the same page, by the rules of its site. A URL that `judge` would not have followed stands for
    none."""

    def __init__(self, rules: Mapping[str, Rules], judge: Callable[[Url], Verdict], now: float) -> None:
        self._judge = judge
        self._rules = {site: one for site, one in rules.items() if one.learned}
        self._turn = int(now / TURN_SECONDS)

    def same_as(self, url: Url) -> tuple[Url, str] | None:
        """The URL to fetch instead and the rule in words; None where the URL stands for itself, or is a sample."""
        rules = self._rules.get(authority(url)) if self._rules else None
        if rules is None:
            return None
        plain, weakest = rewrite(rules, url)
        if weakest is None or plain == url or sampled(url, weakest.rule, weakest.share, self._turn):
            return None
        if not self._judge(plain).accepted:
            return None
        return plain, f"the same page as {plain}, by a rule learned here ({weakest.rule})"
