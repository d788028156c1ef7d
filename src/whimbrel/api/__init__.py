"""How does a program crawl?

Takes: settings, seeds, a folder. Gives: visits as they become durable (`crawl`), or a manager that is ready to run
(`open_crawl`, `open_refresh`) by the rules of a run (`run_crawl`, `run_refresh`). Promises: what cannot work is said
before anything is fetched; a folder left early can be crawled on. Never: does what a flow could do.
"""

from whimbrel.api.briefing import CONTENT_TYPES, accepted_types, brief_for, filters_for, limits_of, staff_for
from whimbrel.api.credentials import from_flags
from whimbrel.api.library import crawl, flags_of, text_of
from whimbrel.api.opening import (
    OpenedCrawl,
    Refreshing,
    open_crawl,
    open_refresh,
    stored_seeds,
    stored_settings,
    withdraw,
)
from whimbrel.api.revisiting import patience_for, wish_for
from whimbrel.api.running import run_crawl, run_refresh, saved_by
from whimbrel.api.seeds import SeedError, read_named, read_seeds

__all__ = [
    "CONTENT_TYPES",
    "OpenedCrawl",
    "Refreshing",
    "SeedError",
    "accepted_types",
    "brief_for",
    "crawl",
    "filters_for",
    "flags_of",
    "from_flags",
    "limits_of",
    "open_crawl",
    "open_refresh",
    "patience_for",
    "read_named",
    "read_seeds",
    "run_crawl",
    "run_refresh",
    "saved_by",
    "staff_for",
    "stored_seeds",
    "stored_settings",
    "text_of",
    "wish_for",
    "withdraw",
]
