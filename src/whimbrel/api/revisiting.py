"""The settings of revisits as records: what a refresh is to visit, and when a page counts as gone."""

from typing import TYPE_CHECKING

from whimbrel.config import Settings
from whimbrel.flows.refresh.again import JudgingRules

if TYPE_CHECKING:
    from whimbrel.flows.refresh.course import RefreshWish


def wish_for(
    settings: Settings, *, everything: bool = False, budget: int | None = None, confirm: bool = False
) -> "RefreshWish":
    """What a refresh is to visit: what was said for this once, and else the settings."""
    from whimbrel.flows.refresh.course import RefreshWish  # not needed where nothing is visited again

    asked = settings.refresh
    return RefreshWish(
        everything=everything,
        budget=None if everything else budget or asked.budget,
        sitemaps=settings.crawl.sitemaps and settings.crawl.scope != "list",
        rounds=asked.schedule == "rounds",
        expand=asked.expand,
        confirm=confirm,
    )


def patience_for(settings: Settings, wish: "RefreshWish | None" = None) -> JudgingRules:
    """How long a page has to be away to be gone; where somebody waits for the answer, no longer than that takes."""
    asked = settings.refresh
    wait = asked.gone_after_seconds
    if wish is not None and wish.confirm:
        wait = min(wait, asked.confirm_after_seconds)
    return JudgingRules(
        wait, asked.keep_noise, wish is not None and wish.everything, asked.tell_unread,
        twice=wish is not None and wish.budget is None,
    )  # fmt: skip
