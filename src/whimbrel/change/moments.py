"""Moments that a page writes out for machines beside what it says of them: "3h" is the same in whatever language."""

import re
from collections.abc import Iterable, Mapping

_DAY = r"\d{4}-\d\d-\d\d"
_OF_AN_ELEMENT = re.compile(rf"\s*{_DAY}(?!\d).*")
_WITH_AN_HOUR = re.compile(rf"\s*{_DAY}[T ]\d\d:\d\d.*")
_SECONDS = re.compile(r"1\d{9}(?:\d{3})?")
_OF_TIME = ("time", "date", "stamp")
_WRITTEN_OUT = re.compile(r"\d{4}")
_MOST_CHARACTERS = 40


def moment_in(attributes: Mapping[str, str | list[str] | None]) -> str:
    """The moment that an element stands for, "" where it stands for none."""
    for name, value in attributes.items():
        if isinstance(value, str) and _is_moment(name, value):
            return value.strip()
    return ""


def _is_moment(name: str, value: str) -> bool:
    if name == "datetime":
        return _OF_AN_ELEMENT.fullmatch(value) is not None
    if name != "title" and not name.startswith("data-"):
        return False
    if _WITH_AN_HOUR.fullmatch(value):
        return True
    return any(word in name for word in _OF_TIME) and _SECONDS.fullmatch(value) is not None


def with_moments(text: str, moments: Iterable[tuple[str, str]]) -> str:
    """The text with such moments in place of what is said of them, but for dates in full: these are for readers."""
    for moment, said in moments:
        if said and len(said) <= _MOST_CHARACTERS and not _WRITTEN_OUT.search(said):
            text = text.replace(said, moment, 1)
    return text
