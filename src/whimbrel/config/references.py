"""Secrets are named, not written: `env:NAME` is a variable that holds one, `file:PATH` a file."""

import re

REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|file:\S.*")
_WITH_USER = re.compile(rf"[^:\s]+:({REFERENCE.pattern})")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [ -~]*")
_PROXY = re.compile(r"(https?|socks[45][ah]?)://\S+")
_RECEIVER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S")
_PASSWORD = re.compile(r"[A-Za-z0-9+.-]+://[^/?#@]*:[^/?#@]*@")
CREDENTIALS = frozenset({"authorization", "proxy-authorization", "cookie"})
"""Headers that are credentials whoever sends them."""
OPEN = frozenset({
    "accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language", "cache-control", "dnt", "from",
    "pragma", "prefer", "priority", "referer", "save-data", "upgrade-insecure-requests", "user-agent",
})  # fmt: skip
"""Request headers of the registry (RFC 9110 §16.3.1) that say what is wanted, and never who may have it. Any other
header for one site may be a key: its value is named, not written."""
ADVICE = (
    "a secret is not written here, where lists of processes, logs and copies would show it. Put it into a variable "
    "or a file that only you can read, and name that: env:NAME or file:PATH"
)


def is_reference(text: str) -> bool:
    return REFERENCE.fullmatch(text) is not None


def with_user(text: str) -> tuple[str, str]:
    """`ada:env:NAME` as "ada" and "env:NAME": only the password is a secret. "" where the reference holds both."""
    found = None if is_reference(text) else _WITH_USER.fullmatch(text)
    return (text.partition(":")[0], found[1]) if found else ("", text)


def wrong_auth(text: str) -> str:
    if is_reference(with_user(text)[1]):
        return ""
    return f"expected env:NAME or file:PATH that holds user:password, or USER:env:NAME; {ADVICE}"


def wrong_cookies(text: str) -> str:
    if is_reference(text):
        return ""
    return f"expected env:NAME or file:PATH that holds `name=value; …` or is a cookies.txt; {ADVICE}"


def wrong_login_secret(line: str) -> str:
    name, _, value = line.partition(": ")
    return "" if name and is_reference(value) else f"{name}: expected env:NAME or file:PATH; {ADVICE}"


def wrong_receiver(text: str) -> str:
    if is_reference(text):
        return ""
    if not _RECEIVER.match(text):
        return "expected an address such as mailto://mail.example.org?to=ada@example.org, env:NAME or file:PATH"
    return f"it holds a password: {ADVICE}" if _PASSWORD.match(text) else ""


def wrong_site_header(line: str) -> str:
    if not _HEADER.fullmatch(line):
        return "expected header names and printable values"
    name, _, value = line.partition(": ")
    if not value or name.lower() in OPEN or is_reference(value):
        return ""
    return f"the value of {name} may be a key: {ADVICE}"


def wrong_common_header(line: str) -> str:
    if not _HEADER.fullmatch(line):
        return "expected header names and printable values"
    name, _, value = line.partition(": ")
    if name.lower() in CREDENTIALS or is_reference(value):
        return f"{name} would be sent to every host; credentials belong to a site: write it in a [[site]] table"
    return ""


def wrong_proxy(text: str) -> str:
    if is_reference(text):
        return ""
    if not _PROXY.fullmatch(text):
        return "expected a URL like http://proxy.example.org:3128, or env:NAME or file:PATH that holds one"
    return ADVICE if "@" in text.partition("://")[2].partition("/")[0] else ""
