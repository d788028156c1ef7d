"""For which hosts a migrant at somebody's place may speak: those that the place was invited for, and no other."""

import zlib
from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from whimbrel.migrants.wire.messages import Parcel, WireError
from whimbrel.records.url import Url
from whimbrel.records.visit import Visit
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

_HEAD_BYTES = 64 << 10
_MOST_BYTES = 256 << 20
_STEP_BYTES = 1 << 20
_TARGET = b"warc-target-uri:"
_GZIP = 31


def heard(parcel: Parcel, sites: Collection[str]) -> Parcel:
    """The parcel as far as home listens to it. Records of other hosts are left out, such as those of a robots.txt that
    redirects; a visit to one, or one under another's key, ends the conversation."""
    for visit in (*parcel.visits, *parcel.again):
        if _host(visit.url) not in sites:
            raise WireError(f"it speaks for {visit.url[:200]}, for which its place was not invited")
        if visit.key != key_of(visit.url):
            raise WireError(f"it sent {visit.url} for another page")
        if not all(target == visit.url for target in _targets(_records(visit))):
            raise WireError(f"it sent records of something else for {visit.url}")
    for copy in parcel.robots:
        if _host(f"{copy.origin}/") not in sites:
            raise WireError(f"it speaks for {copy.origin[:200]}, for which its place was not invited")
    return replace(parcel, records=[piece for piece in parcel.records if _within(piece, sites)])


def _host(url: str) -> str:
    """Of what may be no URL at all."""
    try:
        return host_of(Url(url)) if url.startswith(("http://", "https://")) else ""
    except ValueError:
        return ""


def _records(visit: Visit) -> Iterable[bytes]:
    return (visit.archived.response, visit.archived.others) if visit.archived is not None else ()


def _within(piece: bytes, sites: Collection[str]) -> bool:
    try:
        return all(_host(target) in sites for target in _targets((piece,)))
    except WireError:
        return False


def _targets(pieces: Iterable[bytes]) -> Iterator[str]:
    """Whom the records in these pieces are about; each record is a member of gzip by itself."""
    grown = 0
    for piece in pieces:
        while piece:
            member = zlib.decompressobj(_GZIP)
            try:
                head = member.decompress(piece, _HEAD_BYTES)
                while not member.eof and (more := member.decompress(member.unconsumed_tail, _STEP_BYTES)):
                    grown += len(more)
                    if grown > _MOST_BYTES:
                        raise WireError("records that grow beyond all measure")
            except zlib.error as error:
                raise WireError("records that cannot be read") from error
            if not member.eof:
                raise WireError("records that are cut short")
            yield _target(head)
            piece = member.unused_data


def _target(head: bytes) -> str:
    for line in head.partition(b"\r\n\r\n")[0].split(b"\r\n"):
        if line.lower().startswith(_TARGET):
            return line[len(_TARGET) :].strip().strip(b"<>").decode("utf-8", "replace")
    raise WireError("a record that does not say what it is about")
