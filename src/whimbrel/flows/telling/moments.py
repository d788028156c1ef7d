"""Moments as people name them: `yesterday`, `2026-03-01`, `3 days`, `12h`."""

import re
from datetime import UTC, datetime, timedelta

_AGO = re.compile(
    r"(?:last\s+)?(\d+)?\s*(minutes?|mins?|m|hours?|h|days?|d|weeks?|w|months?)(?:\s+ago)?", re.IGNORECASE
)
_SECONDS = {"m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0, "mo": 2_629_800.0}


def moment_of(text: str, now: float) -> float | None:
    """Unix seconds, None where it names no moment. A day is one of UTC and begins at midnight; `yesterday` is the
    beginning of that day."""
    words = text.strip().lower()
    midnight = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if words in ("today", "yesterday"):
        return (midnight - timedelta(days=words == "yesterday")).timestamp()
    ago = _AGO.fullmatch(words)
    if ago:
        unit = "mo" if ago[2].startswith("mo") else ago[2][0]
        return now - int(ago[1] or 1) * _SECONDS[unit]
    try:
        named = datetime.fromisoformat(text.strip())
        return (named if named.tzinfo else named.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
