"""A span of the day, as people write it: hours in which nobody wants to be told, or in which a site may be asked."""

import re

from msgspec import Struct

_SPAN = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*-\s*(\d{1,2})(?::(\d{2}))?")
DAY_MINUTES = 24 * 60


class Hours(Struct, frozen=True, array_like=True):
    """Minutes of the day, from one to before the other; over midnight where the end is before the beginning."""

    begin: int
    end: int

    def holds(self, minute_of_day: int) -> bool:
        if self.begin <= self.end:
            return self.begin <= minute_of_day < self.end
        return minute_of_day >= self.begin or minute_of_day < self.end

    def seconds_until(self, now: float) -> float:
        """Until they begin; nought within them. `now` is by the clock that they are meant by."""
        into_day = now % (60 * DAY_MINUTES)
        return 0.0 if self.holds(int(into_day // 60)) else (60 * self.begin - into_day) % (60 * DAY_MINUTES)

    def shifted(self, minutes: int) -> "Hours":
        """As a clock shows them that is so much ahead."""
        if (self.end - self.begin) % DAY_MINUTES == 0:
            return self  # all day, by any clock
        return Hours((self.begin + minutes) % DAY_MINUTES, (self.end + minutes) % DAY_MINUTES)


def hours_of(text: str) -> Hours | None:
    """`22-7`, `22:30-06:00`. None where it names none."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        return None
    begin, end = (60 * int(found[at]) + int(found[at + 1] or 0) for at in (1, 3))
    sane = all(int(found[at] or 0) < 60 for at in (2, 4)) and max(begin, end) <= DAY_MINUTES and begin != end
    return Hours(begin % DAY_MINUTES, end) if sane else None


def wrong_hours(text: str) -> str:
    return "" if hours_of(text) is not None else f'{text!r} names no hours. Write "22-7" or "22:30-06:00".'
