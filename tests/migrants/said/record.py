"""Writes down every message of the wire as the release says it whose `whimbrel` is imported:

    python tests/migrants/said/record.py > tests/migrants/said/14.txt

Run it when the version of the wire is raised, before anything else of it is changed."""

import sys
from pathlib import Path

from msgspec.structs import replace

from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import Seal
from whimbrel.places.link import calls
from whimbrel.records.entry import PageEntry
from whimbrel.records.task import Task, Validators
from whimbrel.records.url import Url
from whimbrel.records.visit import Exchange, Link, Outcome, Visit
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import key

PAGE, OTHER = Url("https://docs.example.org/a?b=1"), Url("https://docs.example.org/ü")


def brief() -> wire.Brief:
    settings = load(Path("/dev/null"), {}, api.flags_of({"contact": "me@example.org"}))
    made = api.brief_for(settings, [PAGE], [])
    return replace(made, own_addresses=[], site_delays=[("docs.example.org", 0.5)], judges="any")


def lane() -> wire.LaneWork:
    copy = RobotsCopy("https://docs.example.org", 1_000.0, 200, b"User-agent: *\n")
    tasks = [
        Task(key(PAGE), PAGE, 1, 0, 0, False, Validators('"e"', "Thu, 01 Jan 1970 00:00:00 GMT")),
        Task(key(OTHER), OTHER, 2, 1, 1, True, Validators("", ""), True),
    ]
    return wire.LaneWork(3, "docs.example.org", 0.5, [copy], tasks, 7, True, 1)


def parcel() -> wire.Parcel:
    links = [Link(key(OTHER), OTHER, 1, 0, False, "scope", "another site")]
    got = Exchange(
        b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"<p>tide", "1.1", "192.0.2.1", 12, 0, False, False
    )
    page = Visit(key(PAGE), PAGE, 1, Outcome.FETCHED, "", "", 200, 1_000.5, 64, links=links, exchange=got)
    gone = Visit(key(OTHER), OTHER, 2, Outcome.FAILED, "gone", "404", 404, 1_001.0, 10, retry_in_seconds=5.0)
    copy = RobotsCopy("https://docs.example.org", 1_000.0, 404, b"")
    entry = PageEntry(key(PAGE), "Tides", "When it turns", "en", b"digest", [("tide", 255), ("ebb", 90)])
    return wire.Parcel(5, [page, gone], [copy], [b"record"], [(key(OTHER), 3)], entries=[entry])


def said() -> dict[str, bytes]:
    seal, told = Seal(bytes(32)), brief()
    sealed = seal.itinerary("m1", b"digest", 1, 1_000.0, [lane()])
    from_home = [
        told, wire.WiderScope([PAGE]), wire.Work([sealed], 4, -1), wire.Grant(3), wire.Hold(3, 2.5),
        wire.Release(3, [1, 2]), wire.Served(2), wire.Pack(), wire.Halt(),
    ]  # fmt: skip
    from_migrant = [
        wire.Hello(wire.VERSION, 42, "m1"), parcel(),
        wire.Pulse(1, 2, 3, 0.5, ["a note"], 1.5, 1 << 20, 1 << 30, 0.1, 2e6, 9.0),
        wire.LaneNews(3, "192.0.2.1", False, 1), wire.HostHeld(3, 60.0), wire.Luggage([lane()], [1], True),
        wire.Refusal("expired", "it expired"), wire.Bye(),
    ]  # fmt: skip
    here = calls.Here(
        "word", "0.1.0", [wire.VERSION], ["docs.example.org"], {"cpu": 0.5}, 1, 0.5, 1, 2, 3, 4, 5, "paused"
    )
    between = [
        calls.Knock("KEY", "0.1.0", [wire.VERSION]), calls.LetIn("jwt", 5.0), here,
        calls.Call("library", "word", "channel", "run", "m1", 1_000.0, wire.VERSION, ["site"]),
        calls.Called("channel", "site"), calls.Notice("docs.example.org", [PAGE], 1_000.0),
    ]  # fmt: skip
    return {
        **{f"home {type(one).__name__}": wire.encode(one) for one in from_home},  # type: ignore[arg-type]
        **{f"migrant {type(one).__name__}": wire.encode(one) for one in from_migrant},  # type: ignore[arg-type]
        **{f"between {type(one).__name__}": calls.encode(one) for one in between},  # type: ignore[arg-type]
    }


if __name__ == "__main__":
    for name, message in said().items():
        sys.stdout.write(f"{name} {message.hex()}\n")
