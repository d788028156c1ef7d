"""The wire as the release before said it: version 13, and all that it said otherwise than `messages` does.

It is spoken with places, whose owners bring them up to date when they please. At the next step of the version this
module goes, and what that step changes is written here for the version that is today's.
"""

import msgspec
from msgspec.structs import replace

from whimbrel.migrants.wire import messages
from whimbrel.migrants.wire.messages import Brief, FromHome, FromMigrant, Parcel

VERSION = 13

_FIELDS = {kind: 1 + kind.__struct_fields__.index("entries") for kind in (Brief, Parcel)}
"""It knew nothing of index entries."""


def encode(message: FromHome | FromMigrant) -> bytes:
    if not isinstance(message, Brief | Parcel):
        return messages.encode(message)
    said = replace(message, version=VERSION) if isinstance(message, Brief) else message
    return msgspec.msgpack.encode(msgspec.to_builtins(said, builtin_types=(bytes,))[: _FIELDS[type(message)]])


def cannot_say(brief: Brief) -> str:
    """What of a brief it has no words for; empty where it can say all. A place that was not asked for entries sends
    pages, which is all that they stand for."""
    return ""
