"""What a browser sends of its reader, and what of it is believed.

Page, version and query are sealed by the server when it shows the page, so a browser can say of them only what is true;
the rank is looked up in the log. What is left to say is which actions were done, how often and when, each within what a
person can do. A batch is taken whole or refused whole.
"""

import math
from collections.abc import Callable
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from whimbrel.readers.contract import LATEST_DAYS, SECONDS_A_DAY, Bundle, Did
from whimbrel.records.deed import WORDS, Action
from whimbrel.records.url import Url
from whimbrel.urls.normal import key as key_of

MOST_DEEDS = 500
"""In one batch."""
SLACK_SECONDS = 5.0
"""By which a browser's clock may run on between doing and sending."""
_HOUR = 3600.0
_TOLD = frozenset(Action) - {
    Action.FAVOURITE,
    Action.STARS,
    Action.SHOWN,
    Action.OPENED,
    Action.LOW_RATING,
    Action.CRAWL_MORE,
}
"""What browsers tell; the rest the server sees itself."""
_MOST = {Action.TIME: 24 * _HOUR, Action.ACTIVE: 24 * _HOUR}
_MOST_AT_ONCE = 1_000.0

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{16,64}$")]


class Sent(Struct, frozen=True):
    """A batch as it comes: `sent` and the third part of each deed are moments by the browser's clock."""

    batch: Name
    url: Annotated[str, Meta(min_length=1, max_length=10_000)]
    v: Annotated[int, Meta(ge=0, le=1 << 53)]
    sent: float
    deeds: Annotated[list[tuple[str, float, float]], Meta(min_length=1, max_length=MOST_DEEDS)]
    seal: Annotated[str, Meta(max_length=100)]
    q: Annotated[str, Meta(max_length=10_000)] = ""
    place: float = -1.0


class TokenAlone(Struct, frozen=True):
    """The form's token alone, for whoever looks at a batch before it is read."""

    token: Annotated[str, Meta(max_length=200)] = ""


_decoder = msgspec.json.Decoder(Sent)
_token = msgspec.json.Decoder(TokenAlone)


def token_of(body: bytes) -> str:
    """ "" where it shows none."""
    try:
        return _token.decode(body).token
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError):
        return ""


def bundle_of(body: bytes, reader: int, holds: Callable[[Sent], bool], now: float) -> Bundle | str:
    """`holds` says whether the seal is right. Else the words say what is wrong with it."""
    try:
        sent = _decoder.decode(body)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        return f"This batch cannot be read: {error}"
    if not holds(sent):
        return "This batch is of a page that was not shown to this reader."
    if not (math.isfinite(sent.sent) and math.isfinite(sent.place)):
        return "A number of this batch is none."
    did = []
    for word, amount, at in sent.deeds:
        one = _did(word, amount, sent.sent - at, now)
        if isinstance(one, str):
            return one
        did.append(one)
    place = min(1.0, sent.place) if sent.place >= 0 else -1.0
    url = Url(sent.url)  # the seal is over what the server called it
    return Bundle(reader, sent.batch, url, key_of(url), sent.v, sent.q, tuple(did), place)


def _did(word: str, amount: float, age: float, now: float) -> Did | str:
    action = WORDS.get(word)
    if action is None or action not in _TOLD:
        return f"{word[:40]!r} is no action that a browser tells of."
    if not 0 < amount <= _MOST.get(action, _MOST_AT_ONCE):  # a number that is none compares to nothing
        return f"{word}: an amount of {amount} is more or less than a reader does."
    if not -SLACK_SECONDS <= age <= LATEST_DAYS * SECONDS_A_DAY:
        return f"{word}: it was done {'in the future' if age < 0 else f'more than {LATEST_DAYS} days ago'}."
    return Did(action, amount, now - max(0.0, age))
