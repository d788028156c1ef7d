"""How does a program crawl?

Takes: settings, seeds, a folder. Gives: visits as they become durable (`crawl`), or a manager that is ready to run
(`open_crawl`, `open_refresh`). Promises: what cannot work is said before anything is fetched; a folder left early can
be crawled on. Never: does what a flow could do.
"""

from whimbrel.api.briefing import CONTENT_TYPES, accepted_types, brief_for, filters_for, limits_of, staff_for
from whimbrel.api.library import crawl, flags_of, text_of
from whimbrel.api.opening import Opened, Refreshing, open_crawl, open_refresh, run_refresh, stored_settings, withdraw
from whimbrel.api.seeds import SeedError, read_seeds

__all__ = [
    "CONTENT_TYPES",
    "Opened",
    "Refreshing",
    "SeedError",
    "accepted_types",
    "brief_for",
    "crawl",
    "filters_for",
    "flags_of",
    "limits_of",
    "open_crawl",
    "open_refresh",
    "read_seeds",
    "run_refresh",
    "staff_for",
    "stored_settings",
    "text_of",
    "withdraw",
]
