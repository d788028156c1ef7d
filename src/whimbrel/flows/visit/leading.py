"""Where a page leads: its links, resolved and judged, and those that home has to hear of."""

from collections.abc import Callable

from msgspec.structs import replace

from whimbrel.flows.listing import sitemap_link
from whimbrel.flows.visit.tools import Tools
from whimbrel.records.page import Page
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import NOFOLLOW, Link, Reading
from whimbrel.urls import acts
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of


def base_of(page: Page, task: Task, tools: Tools) -> str:
    if not page.base:
        return task.url
    resolved = tools.resolver.resolve(page.base, task.url)
    return resolved[0] if resolved else task.url


_BY_META = "the page that links to it asks not to follow its links (meta robots: nofollow)"
_BY_HEADER = "the page that links to it asks not to follow its links (X-Robots-Tag: nofollow)"
_BY_LINK = "the link to it asks not to be followed (rel: nofollow, ugc or sponsored)"


def wishes(meta: frozenset[str], header: frozenset[str], unheeded: bool) -> tuple[frozenset[str], str | None]:
    """What the page asks for, and why none of its links is followed: "" where only single links ask so, None where
    nobody's wish counts."""
    if unheeded:
        return frozenset(), None
    return meta | header, _BY_META if "nofollow" in meta else _BY_HEADER if "nofollow" in header else ""


Targets = list[tuple[Url, int] | None]


def targets_of(page: Page, base: str, tools: Tools) -> Targets:
    """Where each of the page's anchors leads, under the name by which home hears of it."""
    targets = tools.resolver.resolve_all([anchor.href for anchor in page.anchors], base)
    if tools.rewrite is None:
        return targets
    return [target and respelled(target[0], tools.rewrite) for target in targets]


def links_of(
    page: Page, targets: Targets, base: str, task: Task, tools: Tools, shunning: str | None, kept: bool
) -> tuple[Reading, list[Link]]:
    """The page's distinct links, and those that home has to hear of; what is not followed is told with the reason."""
    places: dict[int, Url] = {}
    texts: list[str] = []
    followed: set[int] = set()
    for anchor, target in zip(page.anchors, targets, strict=True):
        if target is None:
            continue
        url, key = target
        if key not in places:
            places[key] = url
            texts.append(anchor.text)
        if shunning is None or not (shunning or anchor.nofollow):
            followed.add(key)
    keys = list(places)
    all_followed = len(followed) == len(keys)
    flags = [True] * len(keys) if all_followed else [key in followed for key in keys]
    reading = Reading(page.text, list(places.values()), texts, flags, page.headings, page.marks, page.written_at)
    wanted = keys if all_followed else [key for key in keys if key in followed]
    # Before the links: what is named as a feed is read as one, also where a link leads to it.
    feeds = _feed_links(page.feeds, base, task, tools) if page.feeds and not shunning else []
    told = tools.cache.meet(wanted, task.depth + 1) if kept else _met_aside(wanted, task.depth + 1, tools)
    links = feeds + [judged(places[key], key, 1, False, tools) for key in told]
    if not all_followed:
        links += _shunned([key for key in keys if key not in followed], places, shunning or _BY_LINK, task, tools)
    if tools.assets and page.assets:
        links += asset_links(page.assets, base, task, tools)
    return reading, links


def _feed_links(hrefs: list[str], base: str, task: Task, tools: Tools) -> list[Link]:
    """Feeds of the same host, to be read as sitemaps are: for the pages that they list."""
    targets = {key: url for target in tools.resolver.resolve_all(hrefs, base) if target for url, key in [target]}
    near = {key: url for key, url in targets.items() if host_of(url) == host_of(task.url)}
    wanted = tools.named_feeds.speak_of_the_site(list(near), task.key, at_the_door=task.depth == 0)
    told = tools.cache.meet(wanted, task.depth)
    return [sitemap_link(near[key]) for key in told if tools.judge(near[key]).rule in ("", "scope")]


def without_acts(links: list[Link], body: bytes) -> list[Link]:
    """A link that repeats what a hidden field of its page holds is a form in disguise."""
    values = acts.one_time_values(body)
    reason = "not followed with a login: it carries a one-time value of a form, so following it may do something"
    return [
        replace(link, rule=acts.RULE, reason=reason) if not link.rule and acts.carries(link.url, values) else link
        for link in links
    ]


def _met_aside(keys: list[int], depth: int, tools: Tools) -> list[int]:
    """Links of a page that is not kept are told apart: home is to hear of them again when a kept page has them."""
    nearest = tools.cache.depth
    return [key for key in tools.aside.meet(keys, depth) if (known := nearest(key)) is None or known > depth]


def _shunned(keys: list[int], places: dict[int, Url], reason: str, task: Task, tools: Tools) -> list[Link]:
    """Links that would have been followed, had nobody asked not to."""
    told = [key for key in tools.shunned.meet(keys, task.depth + 1) if tools.judge(places[key]).accepted]
    return [Link(key, places[key], 1, 0, False, NOFOLLOW, reason) for key in told]


def respelled(url: Url, rewrite: Callable[[Url], Url]) -> tuple[Url, int]:
    spelled = rewrite(url)
    return spelled, key_of(spelled)


def judged(url: Url, key: int, step: int, asset: bool, tools: Tools) -> Link:
    verdict = tools.judge(url)
    if verdict.accepted:
        return Link(key, url, step, 0, asset, "", "")
    return Link(key, url, step, 0, asset, verdict.rule, verdict.reason)


def asset_links(hrefs: list[str], base: str, task: Task, tools: Tools) -> list[Link]:
    """Same-site style sheets and pictures; elsewhere's are not ours to copy."""
    targets = {key: url for target in tools.resolver.resolve_all(hrefs, base) if target for url, key in [target]}
    told = tools.cache.meet(list(targets), task.depth + 1)
    links = [judged(targets[key], key, 1, True, tools) for key in told]
    return [link for link in links if link.rule != "scope"]
