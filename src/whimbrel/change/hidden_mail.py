"""Addresses of mail that Cloudflare hides from harvesters, made readable: each answer hides them under another key.

The first byte of the hexadecimal text is the key; each of the others is a byte of the address in UTF-8, xor the key.
A page has them in an attribute of the element that says "[email protected]", and in the fragment of its link.
"""

import re

_HIDDEN = re.compile(r"(?:[0-9A-Fa-f]{2}){2,}")
_LINK = re.compile(r"(?:https?://[^/?#]+)?/cdn-cgi/l/email-protection#([0-9A-Fa-f]+)")

ATTRIBUTE = "data-cfemail"


def mail_of(hidden: str) -> str | None:
    """The address, or None where there is none."""
    if not _HIDDEN.fullmatch(hidden):
        return None
    key, *rest = bytes.fromhex(hidden)
    try:
        return bytes(byte ^ key for byte in rest).decode()
    except UnicodeDecodeError:
        return None


def readable_link(link: str) -> str:
    """As it leads once the site's script has run; any other link as it is."""
    found = _LINK.fullmatch(link)
    mail = mail_of(found[1]) if found else None
    return f"mailto:{mail}" if mail is not None else link
