"""The document in a kept copy: the archive holds what was received, readers want what was meant."""

from msgspec import Struct

from whimbrel.fetch.decode import plain
from whimbrel.fetch.head import read_head
from whimbrel.records.response import Failure, FailureKind
from whimbrel.repository.warc import Content


class DecodedCopy(Struct, frozen=True):
    """A document with its content coding undone. `headers` are the server's, names in lower case."""

    headers: dict[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


def decoded(content: Content) -> DecodedCopy | Failure:
    head = read_head(content.head.splitlines(keepends=True))
    if head is None:
        return Failure(FailureKind.PROTOCOL, "the kept copy has no readable HTTP head")
    body = plain(head.headers.get("content-encoding", ""), content.payload)
    return body if isinstance(body, Failure) else DecodedCopy(head.headers, body)
