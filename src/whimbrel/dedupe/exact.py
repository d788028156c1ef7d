"""Exact duplicates: the same bytes, or the same text in other clothes."""

from hashlib import sha256

ENOUGH_TEXT = 200
"""Bytes of text without white space from which two equal texts are taken for one page. Below it, script
shells and stubs ("Loading…") would all be twins of each other."""

_WHITE_SPACE = b" \t\r\n\f\v"


def digest(body: bytes) -> bytes:
    return sha256(body).digest()


def text_digest(text: str) -> bytes:
    """The digest of the text without its white space, or nothing where there is too little of it."""
    squeezed = text.encode("utf-8", "surrogatepass").translate(None, _WHITE_SPACE)
    return sha256(squeezed).digest() if len(squeezed) >= ENOUGH_TEXT else b""


def group(digest: bytes, text_digest: bytes) -> bytes:
    """Pages of one group are one page. Equal bytes have equal text, so the text decides where there is some."""
    return text_digest or digest


def precedes(depth: int, url: str, other_depth: int, other_url: str) -> bool:
    """Whether a page survives its twin: nearer to a seed, then the smaller URL."""
    return (depth, url) < (other_depth, other_url)
