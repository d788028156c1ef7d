"""The headers that say what a browser may do with each kind of answer."""

import re

OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

OUR_PAGES = {
    **ALWAYS,
    "Content-Security-Policy": OURS,
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}

PICTURE = "sandbox; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
"""An SVG is a document where somebody opens it by itself."""

PAPER = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
"""For a PDF, which the browser's own viewer shows. A sandbox would keep many of these from working; the viewer is no
part of our origin, and nothing but a PDF is given out under this."""

KEPT_FILES = {**ALWAYS, "Cross-Origin-Resource-Policy": "cross-origin", "X-Frame-Options": "SAMEORIGIN"}
"""A kept copy has an origin of its own, which is nobody's: to it even our own answers come from elsewhere."""

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")


def host_name(host: str) -> str:
    """The name in a Host header, lower case and without its port; "" where it is none."""
    found = _HOST.fullmatch(host)
    return found[1].lower().strip("[]").rstrip(".") if found else ""


def showing_papers(origin: str) -> str:
    """For a page of ours that shows a PDF."""
    return f"{OURS}; object-src {origin}/kept/"


def kept_copy(origin: str, nonce: str) -> str:
    """For a kept page: its own files from us, our one script, and nothing else from anywhere.

    Sources are written out, since 'self' matches nothing in a document whose origin is nobody's.
    """
    files = f"{origin}/kept/"
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src 'nonce-{nonce}'; form-action 'none'; base-uri 'none'; "
        f"style-src 'unsafe-inline' {files}; img-src data: {files}; font-src data: {files}; frame-ancestors {origin}"
    )
