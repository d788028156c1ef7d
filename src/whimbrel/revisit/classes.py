"""Classes by change frequency (P0 ch. 5): the words of the sitemap protocol, and how long each lets a page rest."""

from collections.abc import Mapping
from math import log

HOUR = 3600.0
DAY = 24 * HOUR
WEEK = 7 * DAY
YEAR = 365.25 * DAY

INTERVALS: Mapping[str, float] = {
    "always": HOUR / 4,
    "hourly": HOUR,
    "daily": DAY,
    "weekly": WEEK,
    "monthly": YEAR / 12,
    "yearly": YEAR,
    "never": YEAR,
}
"""Seconds between two visits. A page that never changes is still looked at once a year."""


def nearest(rate: float) -> str:
    """Nearest by ratio: twice a day is as far from daily as every other day. "never" is for owners to say."""
    if rate <= 0:
        return "yearly"
    return min((name for name in INTERVALS if name != "never"), key=lambda name: abs(log(INTERVALS[name] * rate)))
