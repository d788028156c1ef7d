"""The wire as the release before said it: version 12, and all that it said otherwise than `messages` does.

It is spoken with places, whose owners bring them up to date when they please. At the next step of the version this
module goes, and what that step changes is written here for the version that is today's.
"""

import msgspec
from msgspec.structs import replace

from whimbrel.migrants.wire import messages
from whimbrel.migrants.wire.messages import Brief, FromHome, FromMigrant
from whimbrel.records.request import Shown

VERSION = 12

_BRIEF_FIELDS = 1 + Brief.__struct_fields__.index("picture_classes")
"""It knew nothing of classes of pictures."""


def encode(message: FromHome | FromMigrant) -> bytes:
    if not isinstance(message, Brief):
        return messages.encode(message)
    said = msgspec.to_builtins(replace(message, version=VERSION), builtin_types=(bytes,))
    return msgspec.msgpack.encode(said[:_BRIEF_FIELDS])


def cannot_say(brief: Brief) -> str:
    """What of a brief it has no words for; empty where it can say all."""
    asked = brief.picture_classes or any(isinstance(request, Shown) for request in brief.requests)
    return "classes of pictures (`whimbrel shapes`)" if asked else ""
