"""A migrant at somebody's place speaks for the hosts of its invitation, and is not heard on any other."""

import gzip

import pytest
from msgspec.structs import replace

from whimbrel.migrants.home.speaking import heard
from whimbrel.migrants.wire.messages import Parcel, WireError
from whimbrel.records.url import Url
from whimbrel.records.visit import Archived, Outcome, Visit
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import key

SITES = ("docs.example.org",)
OURS, OTHERS = Url("https://docs.example.org/a"), Url("https://bank.example.com/a")


def record(url: str, body: bytes = b"page") -> bytes:
    head = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\r\n".encode()
    return gzip.compress(head + body + b"\r\n\r\n", mtime=0)


def visit(url: Url, /, **changes: object) -> Visit:
    made = Visit(key(url), url, 1, Outcome.FETCHED, "", "", 200, 0.0, 10)
    return replace(made, **changes)


def archived(*records: bytes) -> Archived:
    return Archived(records[0], b"".join(records[1:]), b"")


def parcel(*visits: Visit, **more: object) -> Parcel:
    return replace(Parcel(1, list(visits), [], [], []), **more)


def test_what_it_was_invited_for_is_heard() -> None:
    whole = visit(OURS, archived=archived(record(OURS), record(OURS), record(OURS)))
    robots = [RobotsCopy("https://docs.example.org", 0.0, 200, b"")]
    said = parcel(whole, visit(Url("https://docs.example.org:8443/b")), robots=robots, records=[record(OURS)])
    assert heard(said, SITES) == said


@pytest.mark.parametrize(
    "said",
    [
        parcel(visit(OTHERS)),
        parcel(visit(OURS), again=[visit(OTHERS)]),
        parcel(visit(OURS, key=key(OTHERS))),
        parcel(visit(OURS, url=Url("docs.example.org"))),
        parcel(visit(OURS, url=Url("https:"))),
        parcel(robots=[RobotsCopy("https://bank.example.com", 0.0, 200, b"User-agent: *\nDisallow: /")]),
        parcel(visit(OURS, archived=archived(record(OTHERS)))),
        parcel(visit(OURS, archived=archived(record(OURS), record(OURS), record(OTHERS)))),
        parcel(visit(OURS, archived=archived(b"no gzip at all"))),
        parcel(visit(OURS, archived=archived(record(OURS)[:-9]))),
        parcel(visit(OURS, archived=archived(gzip.compress(b"WARC/1.1\r\n\r\nnobody's")))),
    ],
)
def test_what_it_was_not_invited_for_ends_the_conversation(said: Parcel) -> None:
    with pytest.raises(WireError):
        heard(said, SITES)


def test_records_of_others_are_left_out_and_bombs_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whimbrel.migrants.home.speaking._MOST_BYTES", 1 << 20)
    bomb = record(OURS, bytes(8 << 20))
    assert len(bomb) < 20_000
    said = parcel(visit(OURS), records=[record(OURS), record(OTHERS), b"rubbish", bomb, record(OURS) + record(OTHERS)])
    assert heard(said, SITES).records == [record(OURS)]
