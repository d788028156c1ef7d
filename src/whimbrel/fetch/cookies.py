"""Cookies as people have them: a Cookie header, or the cookies.txt that browsers' add-ons, curl and wget write."""

from whimbrel.fetch.credentials import Cookie

FIELDS = 7
HTTP_ONLY = "#HttpOnly_"


def read_cookies(text: str, host: str) -> list[Cookie]:
    """The cookies in the text that are for this host."""
    rows = [line.removeprefix(HTTP_ONLY).split("\t") for line in text.splitlines()]
    listed = [row for row in rows if len(row) == FIELDS and not row[0].startswith("#")]
    if listed:
        return [cookie for row in listed if (cookie := _listed(row, host)) is not None]
    pairs = (pair.strip().partition("=") for pair in text.removeprefix("Cookie:").split(";"))
    return [Cookie(name.strip(), value.strip()) for name, equals, value in pairs if equals and _sound(name + value)]


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
    return text.isprintable() and ";" not in text
