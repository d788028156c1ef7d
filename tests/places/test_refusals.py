"""What must be refused between home and places, each tried for real: a server with TLS, real keys, real credentials."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from neighbours import code_for, join, until

from whimbrel.migrants.wire.itinerary import Gate, Itinerary, seal_of, within
from whimbrel.migrants.wire.messages import VERSION as WIRE
from whimbrel.migrants.wire.messages import LaneWork, Sealed, WireError
from whimbrel.places.at.desk import HomeDesk
from whimbrel.places.at.house import House
from whimbrel.places.at.joining import JoinRefused, PlaceFolder, pinned
from whimbrel.places.at.joining import join as joins
from whimbrel.places.home.book import PlaceBook, PlaceStanding
from whimbrel.places.home.identity import identity_of
from whimbrel.places.home.inviting import PlaceRefused, WantedPlace, admit, invite, revoke
from whimbrel.places.home.keeper import Keeper
from whimbrel.places.home.telling import place_lines
from whimbrel.places.link import subjects
from whimbrel.places.link.calls import Call, Called, Here, Knock, encode, opened_call
from whimbrel.places.link.code import CodeError, read, written
from whimbrel.places.link.dial import Dial, ServerAddress
from whimbrel.places.link.keys import KeyRole, claim, fresh
from whimbrel.records.task import NO_VALIDATORS, Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

PATIENCE = 300.0
VERSION = "test"


def with_keeper(folder: Path, work: "Callable[[Keeper], Awaitable[None]]") -> None:
    async def run() -> None:
        keeper = Keeper(folder)
        await keeper.open()
        try:
            await keeper.connected()
            await work(keeper)
        finally:
            await keeper.close()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def dial_as(folder: Path, place: Path) -> Dial:
    (membership,) = PlaceFolder(place).memberships()
    address = ServerAddress(membership.servers, membership.certificate)
    return Dial(address, PlaceFolder(place).key(), lambda: membership.jwt, "test")


# Invitations.


def test_a_code_is_read_as_it_was_written_and_not_when_a_letter_is_wrong(tmp_path: Path) -> None:
    code = code_for(tmp_path, "library", "docs.example.org")
    assert read(f" {code[:100]}\n{code[100:]} ").sites == ("docs.example.org",)
    assert len(code) < 450
    other = "A" if code[60] != "A" else "B"
    for broken in (code[:60] + other + code[61:], code[:-5], "", "whimbrel-place-1-", code + "!"):
        with pytest.raises(CodeError):
            read(broken)


def test_an_invitation_is_used_once(tmp_path: Path) -> None:
    code = code_for(tmp_path)

    async def twice(keeper: Keeper) -> None:
        assert (await joins(PlaceFolder(tmp_path / "one"), read(code), PATIENCE, VERSION)).jwt
        with pytest.raises(JoinRefused, match="used"):
            await joins(PlaceFolder(tmp_path / "two"), read(code), PATIENCE, VERSION)

    with_keeper(tmp_path, twice)
    assert PlaceBook(tmp_path).read().places["library"].key == PlaceFolder(tmp_path / "one").key().public


def test_an_expired_or_withdrawn_invitation_lets_nobody_in(tmp_path: Path) -> None:
    number = read(code_for(tmp_path)).number
    book, identity = PlaceBook(tmp_path), identity_of(tmp_path / "places")
    said = Knock(fresh(KeyRole.USER).public, VERSION, [WIRE, WIRE - 1])
    assert "expired" in admit(book, identity, number, said, time.time() + 8 * 86_400).why
    revoke(tmp_path, "library")
    answer = admit(book, identity, number, said, time.time())
    assert not answer.jwt
    assert "withdrawn" in answer.why
    assert "this place is too old" in admit(book, identity, number, Knock(said.key, VERSION, [3]), time.time()).why
    assert "no key" in admit(book, identity, number, Knock("UNKNOWN", VERSION, [WIRE]), time.time()).why


def test_the_server_itself_refuses_an_invitation_whose_time_is_over(tmp_path: Path) -> None:
    invited = invite(tmp_path, WantedPlace("library", ("127.0.0.1",), 3600.0), now=time.time() - 7200)

    async def late(keeper: Keeper) -> None:
        with pytest.raises(JoinRefused, match="expired"):
            await joins(PlaceFolder(tmp_path / "place"), read(invited.code), PATIENCE, VERSION)

    with_keeper(tmp_path, late)
    assert PlaceBook(tmp_path).read().places["library"].standing is PlaceStanding.INVITED


def test_a_server_with_another_certificate_is_told_nothing(tmp_path: Path) -> None:
    invitation = read(code_for(tmp_path))

    async def between(keeper: Keeper) -> None:
        with pytest.raises(JoinRefused, match="another certificate"):
            await pinned(replace(invitation, certificate=bytes(32)))

    with_keeper(tmp_path, between)


@pytest.mark.parametrize("name", ["", "here", "Library", "a b", "a.b", "x" * 40])
def test_names_that_are_none_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(PlaceRefused):
        invite(tmp_path, WantedPlace(name, ("docs.example.org",), 3600.0))
    with pytest.raises(PlaceRefused, match="--sites"):
        invite(tmp_path, WantedPlace("library", (), 3600.0))


# Credentials.


def test_revoking_cuts_a_connection_and_keeps_the_key_out(tmp_path: Path) -> None:
    join(tmp_path, tmp_path / "place")

    async def cut_off(keeper: Keeper) -> None:
        dial = dial_as(tmp_path, tmp_path / "place")
        dial.start()
        await dial.connected.wait()
        assert revoke(tmp_path, "library")
        await until(lambda: dial.refusals > 0)
        assert not dial.connected.is_set()
        await until(lambda: keeper.reach("library") is False)
        await dial.close()

    with_keeper(tmp_path, cut_off)


def test_credentials_of_another_home_expired_ones_and_stolen_ones_are_refused(tmp_path: Path) -> None:
    join(tmp_path / "home", tmp_path / "place")
    invite(tmp_path / "other", WantedPlace("library", ("127.0.0.1",), 3600.0))
    (membership,) = PlaceFolder(tmp_path / "place").memberships()
    key, thief = PlaceFolder(tmp_path / "place").key(), fresh(KeyRole.USER)
    mine, others = identity_of(tmp_path / "home/places"), identity_of(tmp_path / "other/places")
    rights, now = subjects.place_rights("library"), int(time.time())
    tried = [
        (key, claim(others.account, key.public, "library", now, rights)),
        (key, claim(mine.account, key.public, "library", now - 7200, rights, now - 3600)),
        (thief, membership.jwt),
    ]

    async def all_refused(keeper: Keeper) -> None:
        for pair, jwt in tried:
            dial = Dial(ServerAddress(membership.servers, membership.certificate), pair, lambda jwt=jwt: jwt, "test")  # type: ignore[misc]
            dial.start()
            await until(lambda dial=dial: dial.refusals > 0)  # type: ignore[misc]
            assert not dial.connected.is_set()
            await dial.close()

    with_keeper(tmp_path / "home", all_refused)


def test_a_place_hears_and_says_nothing_under_anothers_subjects(tmp_path: Path) -> None:
    join(tmp_path, tmp_path / "place")
    join(tmp_path, tmp_path / "other", "archive", "other.example.org")
    heard: list[str] = []

    async def try_it(keeper: Keeper) -> None:
        dial = dial_as(tmp_path, tmp_path / "other")
        dial.subscribe(subjects.down("library", ">"), lambda subject, _: heard.append(subject))
        dial.subscribe(f"{subjects.ROOT}.>", lambda subject, _: heard.append(subject))
        dial.start()
        await dial.connected.wait()
        lie = Here("word", "1", [WIRE], [], {}, 0, 0.0, 0, 0, 0, 0, 0)
        dial.publish(subjects.up("library", "here"), encode(lie))
        dial.publish(subjects.up("archive", "here"), encode(lie))
        await until(lambda: keeper.reach("archive") is True and len(dial.denied) >= 3)
        assert keeper.reach("library") is None
        keeper._dial.publish(subjects.down("library", "roll"), b"secret")  # type: ignore[union-attr]
        await until(lambda: keeper.reach("archive") is True)
        await dial.close()

    with_keeper(tmp_path, try_it)
    assert heard == []


def test_a_place_too_far_behind_gets_no_work_and_is_told_so_once(tmp_path: Path) -> None:
    join(tmp_path, tmp_path / "place")
    calls: list[Call] = []

    async def behind(keeper: Keeper) -> None:
        dial = dial_as(tmp_path, tmp_path / "place")

        def hear(subject: str, data: bytes) -> None:
            if subject.endswith(".call"):
                calls.append(opened_call(data, seal_of(tmp_path).public))
                dial.publish(subjects.up("library", "called"), encode(Called(calls[-1].channel, why_not="too old")))

        dial.subscribe(subjects.down("library", ">"), hear)
        dial.start()
        await dial.connected.wait()
        here = Here("word", "0.0.1", [WIRE - 2], [], {}, 0, 0.0, 0, 0, 0, 0, 0)
        for _ in range(3):
            dial.publish(subjects.up("library", "here"), encode(here))
        await until(lambda: calls)
        assert keeper.reach("library") is False
        keeper._write_down()
        await dial.close()

    with_keeper(tmp_path, behind)
    assert len(calls) == 1
    lines = place_lines(PlaceBook(tmp_path).read().places["library"], time.time())
    assert any("`library` is too old. In its checkout of Whimbrel: `git pull" in line for line in lines)


# Calls and itineraries.


def test_a_call_that_home_did_not_sign_is_refused(tmp_path: Path) -> None:
    ours, others = seal_of(tmp_path), seal_of(_made(tmp_path / "other"))
    call = Call("library", "word", "c", "r", "m1", 0.0, 8, ["site"])
    assert opened_call(encode(ours.sealed(encode(call))), ours.public) == call
    sealed = ours.sealed(encode(call))
    for bad in (
        others.sealed(encode(call)),
        Sealed(encode(replace(call, place="archive")), sealed.proof),
        Sealed(sealed.body, bytes(64)),
    ):
        with pytest.raises(WireError):
            opened_call(encode(bad), ours.public)
    with pytest.raises(WireError):
        opened_call(b"\xc1 nonsense", ours.public)


def test_a_place_takes_a_call_once_for_this_run_and_in_a_version_that_it_speaks(tmp_path: Path) -> None:
    """Also one that home did sign: whoever runs the server between them may have kept it."""
    join(tmp_path / "home", tmp_path / "place")
    seal, said = seal_of(tmp_path / "home"), list[str]()
    house = House(PlaceFolder(tmp_path / "place"), said.append, "test")
    (membership,) = PlaceFolder(tmp_path / "place").memberships()

    async def try_it() -> None:
        tasks = set[asyncio.Task[None]]()
        desk = HomeDesk(house, membership, lambda work: tasks.add(asyncio.create_task(work)), lambda: False)
        good = Call("library", desk._word, "c1", "run", "m1", time.time(), WIRE, ["site"])

        async def hears(call: Call) -> list[str]:
            before = len(said)
            desk._hear(subjects.down("library", "call"), encode(seal.sealed(encode(call))))
            await asyncio.gather(*tasks)
            tasks.clear()
            return said[before:]

        assert await hears(good) == ["m1 works here"]
        assert await hears(good) == [], "the answer may have been lost; it is not taken for another call"
        assert len(desk.guests) == 1
        relays = [guest.relay for guest in desk.guests]
        desk.send_away()
        await asyncio.wait(relays)
        for bad, words in (
            (good, "used before"),
            (replace(good, channel="c2", word="the run before"), "another run of this place's program"),
            (replace(good, channel="c3", place="archive"), "meant for archive"),
            (replace(good, channel="c4", wire=WIRE - 2), "home is too old"),
            (replace(good, channel="c5", wire=WIRE + 2), "place `library` is too old"),
            (replace(good, channel="c6", packings=["of tomorrow"]), "is known here"),
        ):
            (why,) = await hears(bad)
            assert words in why
        assert not desk.guests

    asyncio.run(asyncio.wait_for(try_it(), PATIENCE))


def _made(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize("rule", ["proof", "replay", "expired", "site", "altered"])
def test_itineraries_that_a_place_refuses(tmp_path: Path, rule: str) -> None:
    ours, others = seal_of(tmp_path), seal_of(_made(tmp_path / "other"))
    host = "docs.example.org" if rule != "site" else "bank.example.com"
    task = Task(1, Url(f"https://{host}/"), 0, 0, 0, False, NO_VALIDATORS, False)
    lanes = [LaneWork(1, "docs.example.org", 0.0, [], [task])]
    sealed = (others if rule == "proof" else ours).itinerary("m1", b"brief", 0, 1000.0, lanes)
    if rule == "altered":
        sealed = Sealed(sealed.body.replace(b"docs", b"evil"), sealed.proof)
    gate = Gate(ours.public, "m1", b"brief")
    if rule == "replay":
        assert isinstance(gate.open(sealed, 1000.0), Itinerary)
    read_at = 1000.0 + (7200 if rule == "expired" else 0)
    opened = within(gate.open(sealed, read_at), ("docs.example.org",))
    assert isinstance(opened, Verdict)
    assert opened.rule == ("proof" if rule == "altered" else rule)


def test_an_honest_itinerary_passes(tmp_path: Path) -> None:
    seal = seal_of(tmp_path)
    task = Task(1, Url("https://docs.example.org/"), 0, 0, 0, False, NO_VALIDATORS, False)
    sealed = seal.itinerary("m1", b"brief", 0, 1000.0, [LaneWork(1, "docs.example.org", 0.0, [], [task])])
    gate = Gate(seal.public, "m1", b"brief")
    assert isinstance(within(gate.open(sealed, 1000.0), ("docs.example.org",)), Itinerary)


def test_a_code_survives_writing_and_reading(tmp_path: Path) -> None:
    invitation = read(code_for(tmp_path, "library", "a.example.org", "b.example.org"))
    assert read(written(invitation)) == invitation
