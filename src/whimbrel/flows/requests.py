"""A request on its way between the folder, which keeps it, and the migrants, which carry it."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import structs

from whimbrel.records.request import Alike, Fitted, Request, Shown, Topical, Worded
from whimbrel.repository.contract import Enquiry


def as_stored(request: Request) -> bytes:
    """What the folder keeps of a request beside its number and its examples' names."""
    return msgspec.msgpack.encode(request)


def as_sent(kept: Enquiry, pages: int) -> Request | None:
    """A request as migrants are given it, `pages` being kept in all; None where what was kept cannot be read."""
    try:
        request = _read(kept.structure)
    except msgspec.DecodeError:
        return None
    return structs.replace(request, number=kept.number, known=kept.found, pages=pages)


def fitted_anew(structure: bytes, fit: Fitted) -> bytes | None:
    """What the folder keeps, with a judge that has seen more pages; None where the one it has saw as many."""
    request = _read(structure)
    if fit.fitted_on <= request.fitted_on:
        return None
    return as_stored(structs.replace(request, wanted=fit.wanted, fitted_on=fit.fitted_on))


def kept_like(every: Iterable[Enquiry], request: Request) -> Enquiry | None:
    """The request that asks for the same, whatever became of it: for the same topic, for pages like the same examples,
    for the same words."""
    return next((one for one in every if (kept := as_sent(one, 0)) is not None and _same(kept, request)), None)


def _same(one: Request, other: Request) -> bool:
    match one, other:
        case Topical(), Topical():
            return one.topic == other.topic
        case Alike(), Alike():
            return set(one.names) == set(other.names)
        case Worded(), Worded():
            return set(one.words) == set(other.words)
        case Shown(), Shown():
            return set(one.classes) == set(other.classes)
    return False


def worded(kept: Enquiry) -> str:
    """What a request asks for, for a person to read."""
    request = as_sent(kept, 0)
    if isinstance(request, Topical):
        return f"about “{request.topic}”"
    if isinstance(request, Shown):
        return f"with a picture of: {', '.join(request.classes)}"
    return f"like {' '.join(kept.examples)}"


def _read(stored: bytes) -> Request:
    """Before there were several kinds of requests, those by example had no tag."""
    fields: Any = msgspec.msgpack.decode(stored)
    if isinstance(fields, list) and fields and isinstance(fields[0], int):
        fields.insert(0, Alike.__struct_config__.tag)
    request: Request = msgspec.convert(fields, Request)
    return request
