"""What followers of a repository are told of."""

from enum import StrEnum


class EventKind(StrEnum):
    """What became of a URL's page: it is kept, or counts as a copy, or is not here any more."""

    KEPT = "kept"
    DUPLICATE = "duplicate"
    MOVED = "moved"
    GONE = "gone"
    REFUSED = "refused"
    FORGOTTEN = "forgotten"
