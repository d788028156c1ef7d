"""Cookies as people have them: a Cookie header, or the cookies.txt that browsers' add-ons, curl and wget write."""

import re

from whimbrel.fetch.credentials import Cookie

FIELDS = 7
HTTP_ONLY = "#HttpOnly_"
_SET = re.compile(rb"(?im)^set-cookie:[ \t]*([^\r\n]*)")
_NOT_A_MOMENT = re.compile(r"-[0-9]+|0+")


def read_cookies(text: str, host: str) -> list[Cookie]:
    """The cookies in the text that are for this host."""
    rows = [line.removeprefix(HTTP_ONLY).split("\t") for line in text.splitlines()]
    listed = [row for row in rows if len(row) == FIELDS and not row[0].startswith("#")]
    if listed:
        return [cookie for row in listed if (cookie := _listed(row, host)) is not None]
    pairs = (pair.strip().partition("=") for pair in text.removeprefix("Cookie:").split(";"))
    return [Cookie(name.strip(), value.strip()) for name, equals, value in pairs if equals and _sound(name + value)]


def given_in(head: bytes, host: str, path: str, now: float) -> list[Cookie]:
    """The cookies that an answer gives to this host (RFC 6265 §5.3); one that is taken back has no value. Of their ends
    only that which has passed counts: a session is never kept for longer than a run."""
    lines = (line.decode("latin-1") for line in _SET.findall(head))
    return [cookie for line in lines if (cookie := _given(line, host, path, now)) is not None]


def _given(line: str, host: str, asked: str, now: float) -> Cookie | None:
    pair, *attributes = line.split(";")
    name, equals, value = (part.strip() for part in pair.partition("="))
    said = {key.strip().lower(): text.strip() for key, _, text in (one.partition("=") for one in attributes)}
    domain = said.get("domain", "").lstrip(".").lower()
    if (
        not name
        or not equals
        or not _sound(name + value)
        or (domain and host != domain and not host.endswith(f".{domain}"))
    ):
        return None
    path = said.get("path", "")
    if not path.startswith("/"):
        path = asked[: asked.rindex("/")] or "/"
    return Cookie(name, "" if is_over(said, now) else value, path, "secure" in said)


def is_over(said: dict[str, str], now: float) -> bool:
    """Whether the attributes of a cookie take it away."""
    if "max-age" in said:
        return _NOT_A_MOMENT.fullmatch(said["max-age"]) is not None
    if "expires" not in said:
        return False
    from email.utils import parsedate_to_datetime  # few sites set one, and it takes a while to load

    try:
        return parsedate_to_datetime(said["expires"]).timestamp() < now
    except (ValueError, TypeError, OverflowError):
        return False


def _listed(row: list[str], host: str) -> Cookie | None:
    """domain, whether subdomains too, path, whether TLS only, end, name, value. An end that has passed is the site's to
    judge: clocks differ, and a session that is over is noticed."""
    domain, subdomains, path, secure, _, name, value = row
    bare = domain.lstrip(".").lower()
    wide = subdomains.upper() == "TRUE" or domain.startswith(".")
    if host != bare and not (wide and host.endswith(f".{bare}")):
        return None
    return Cookie(name, value, path or "/", secure.upper() == "TRUE") if name and _sound(name + value) else None


def _sound(text: str) -> bool:
    """What can stand in a header (RFC 6265 §4.1.1): one cookie that cannot would keep all others from being sent."""
    return text.isascii() and text.isprintable() and ";" not in text
