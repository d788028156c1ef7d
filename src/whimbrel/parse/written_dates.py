"""Moments as sitemaps and feeds write them, as Unix seconds.

The sitemap protocol asks for W3C datetime (a profile of ISO 8601), RSS for RFC 822, Atom for RFC 3339. Sites also write
slashes, spaces, names of months, plain Unix seconds. A moment without a zone is taken to be UTC; a date that could be
read as day or month first (03/04/2024) is not read at all.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

_ZONE = r"(?P<zone>z|utc|gmt|ut|[ecmp][sd]t|[+-]\d{2}:?\d{2}|[+-]\d{2})?"
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?\s*" + _ZONE
_ISO = re.compile(r"(?P<year>\d{4})(?:[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2})(?:[t\s]\s*" + _CLOCK + ")?)?)?")
_COMPACT = re.compile(
    r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:t?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})"
    + _ZONE
    + ")?"
)
_WEEKDAY = r"(?:[a-z]{3,9},?\s+)?"
_MAYBE_CLOCK = r"(?:,?\s+" + _CLOCK + ")?"
_DAY_FIRST = re.compile(
    _WEEKDAY + r"(?P<day>\d{1,2})[\s-](?P<name>[a-z]{3,9})\.?[\s-](?P<year>\d{4}|\d{2})" + _MAYBE_CLOCK
)
_MONTH_FIRST = re.compile(_WEEKDAY + r"(?P<name>[a-z]{3,9})\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4})" + _MAYBE_CLOCK)
_ASCTIME = re.compile(_WEEKDAY + r"(?P<name>[a-z]{3})\s+(?P<day>\d{1,2})\s+" + _CLOCK + r"\s+(?P<year>\d{4})")
_SPELLINGS = (_ISO, _COMPACT, _DAY_FIRST, _MONTH_FIRST, _ASCTIME)
_UNIX_SECONDS = re.compile(r"\d{9,10}|\d{12,13}")

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
# RFC 822 §5.1: the named zones of North America; "Z" and its kin are UTC.
_NAMED_HOURS = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}
_LONGEST = 64


def unix_seconds(written: str) -> float | None:
    """The moment a text names, or None where it names none."""
    text = " ".join(written[: _LONGEST + 1].split()).lower()
    if not text or len(text) > _LONGEST:
        return None
    if _UNIX_SECONDS.fullmatch(text):
        return float(text) if len(text) <= 10 else int(text) / 1000
    for spelling in _SPELLINGS:
        found = spelling.fullmatch(text)
        if found is not None:
            return _moment(found.groupdict())
    return None


def _moment(parts: dict[str, str | None]) -> float | None:
    year = int(parts["year"] or 0)
    if year < 100:
        year += 2000 if year < 70 else 1900
    month = _MONTHS.get((parts.get("name") or "")[:3], 0) if "name" in parts else int(parts["month"] or 1)
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    try:
        # A leap second is the one before it; 24:00 is midnight to come.
        day = datetime(year, month, int(parts["day"] or 1), tzinfo=_zone(parts["zone"]))
        if hour > 24 or minute > 59 or second > 60:
            return None
        return (day + timedelta(hours=hour, minutes=minute, seconds=min(second, 59))).timestamp()
    except (ValueError, OverflowError):
        return None


def _zone(name: str | None) -> timezone:
    if not name or name in ("z", "utc", "gmt", "ut"):
        return UTC
    if name in _NAMED_HOURS:
        return timezone(timedelta(hours=_NAMED_HOURS[name]))
    digits = name[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if name[0] == "-" else offset)
