"""A decision that explains itself."""

from msgspec import Struct


class Verdict(Struct, frozen=True, array_like=True):
    """`rule` names what decided ("robots", "scope", "trap", "address", …); `reason` is for a person to read."""

    accepted: bool
    rule: str
    reason: str


ACCEPTED = Verdict(True, "", "")


def refused(rule: str, reason: str) -> Verdict:
    return Verdict(False, rule, reason)
