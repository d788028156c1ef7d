"""Rules learned for a folder's URLs, as home applies them before a page is fetched.

A URL that a rule rewrites is not fetched: the URL it becomes is. A share of such URLs is fetched all the same; the
follower that learned the rule sees what they hold, and withdraws it when it no longer holds.
"""

from collections.abc import Mapping

from whimbrel.dedupe.dust import Rules, rewrite, sampled
from whimbrel.records.url import Url
from whimbrel.urls.normal import authority

SHARE = 0.05
RULE = "dust"


class Dusting:
    """Which URL shows the same page, by the rules of its site."""

    def __init__(self, rules: Mapping[str, Rules]) -> None:
        self._rules = {site: one for site, one in rules.items() if one.learned}

    def same_as(self, url: Url) -> tuple[Url, str] | None:
        """The URL to fetch instead and the rule in words; None where the URL stands for itself, or is a sample."""
        rules = self._rules.get(authority(url)) if self._rules else None
        if rules is None:
            return None
        plain, rule = rewrite(rules, url)
        if rule is None or plain == url or authority(plain) != authority(url) or sampled(url, rule, SHARE):
            return None
        return plain, f"the same page as {plain}, by a rule learned here ({rule})"
