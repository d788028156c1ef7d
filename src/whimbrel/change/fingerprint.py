"""Change of structure by two strings of letters (P1 §4): cheaper than the tree, blind to how elements nest."""

from collections.abc import Sequence

from msgspec import Struct


class Fingerprint(Struct, frozen=True):
    """The first and the last letters of every start tag in order; both strings are of equal length."""

    first: str
    last: str


def fingerprint(tags: Sequence[str]) -> Fingerprint:
    return Fingerprint("".join(tag[:1] for tag in tags), "".join(tag[-1:] for tag in tags))
