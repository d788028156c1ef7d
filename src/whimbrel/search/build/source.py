"""What the index reads from a repository besides rows: kept copies decoded, and where redirects lead in the end."""

from msgspec import Struct

from whimbrel.fetch.decode import plain
from whimbrel.fetch.head import read_head
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.port.followed import Followed

MOST_STEPS = 10


class IndexedCopy(Struct, frozen=True):
    """A kept copy: the HTTP head as it came, the document decoded."""

    head: bytes
    body: bytes


def moves(source: Followed) -> dict[int, int]:
    """Every URL that redirects, with where it leads in the end."""
    steps = source.redirects()
    return {key: end for key in steps if (end := _end_of(key, steps)) != key}


def copy_of(source: Followed, version: int) -> IndexedCopy | None:
    """The document with its content coding undone; None where the copy cannot be read."""
    try:
        content = source.copy(version)
    except RepositoryError:
        return None
    return _decoded(content.head, content.payload)


def _end_of(key: int, steps: dict[int, int]) -> int:
    for _ in range(MOST_STEPS):
        if key not in steps:
            break
        key = steps[key]
    return key


def _decoded(content_head: bytes, payload: bytes) -> IndexedCopy | None:
    if b"content-encoding" not in content_head.lower():  # most copies, and reading the head costs as much as the rest
        return IndexedCopy(content_head, payload)
    head = read_head(content_head.splitlines(keepends=True))
    body = plain(head.headers.get("content-encoding", ""), payload) if head is not None else payload
    return IndexedCopy(content_head, body) if isinstance(body, bytes) else None
