"""A place that joins, or tries to: what it holds afterwards."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from neighbours import PATIENCE, allow, code_for
from neighbours import join as joined

from whimbrel.cli import place as cli
from whimbrel.places.at.joining import JoinRefused, PlaceFolder, join
from whimbrel.places.at.terms import MachineTerms, load_terms
from whimbrel.places.home.keeper import Keeper
from whimbrel.places.link.code import read
from whimbrel.places.link.dial import DialError


def with_home(folder: Path, work: "Callable[[], Awaitable[None]]") -> None:
    async def both() -> None:
        keeper = Keeper(folder)
        await keeper.open()
        try:
            await keeper.connected()
            await work()
        finally:
            await keeper.close()

    asyncio.run(asyncio.wait_for(both(), PATIENCE))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_code_used_before_is_refused_and_what_was_joined_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "ANSWER_SECONDS", PATIENCE)
    code, place = code_for(tmp_path / "home"), tmp_path / "place"
    told: list[Result] = []

    async def twice() -> None:
        await join(PlaceFolder(place), read(code), PATIENCE, "test")
        allow(place, requests_per_second="2.5   # no more at night")
        before = files(place)
        told.append(await asyncio.to_thread(CliRunner().invoke, cli.command, ["join", code, "--dir", str(place)]))
        assert files(place) == before
        assert PlaceFolder(place).memberships()[0].jwt

    with_home(tmp_path / "home", twice)
    assert "used" in told[0].output
    assert "the membership as `library` is kept" in told[0].output
    assert "`whimbrel places invite library --sites 127.0.0.1`" in told[0].output
    assert "Joined" not in told[0].output


def test_a_place_that_is_refused_at_first_leaves_no_trace(tmp_path: Path) -> None:
    code = code_for(tmp_path / "home")

    async def second() -> None:
        await join(PlaceFolder(tmp_path / "one"), read(code), PATIENCE, "test")
        with pytest.raises(JoinRefused, match="used"):
            await join(PlaceFolder(tmp_path / "two"), read(code), PATIENCE, "test")

    with_home(tmp_path / "home", second)
    assert not (tmp_path / "two").exists()


def test_a_new_code_renews_and_keeps_the_owners_limits(tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "place"
    joined(home, place)
    allow(place, requests_per_second="2.5")
    joined(home, place, "library", "127.0.0.1", "docs.example.org")
    named, membership = load_terms(place).home[0], PlaceFolder(place).memberships()[0]
    assert named.requests_per_second == 2.5
    assert named.sites == list(membership.sites) == ["127.0.0.1", "docs.example.org"]
    assert len(load_terms(place).home) == 1


def test_while_home_does_not_answer_only_a_place_without_it_waits_for_it(tmp_path: Path) -> None:
    """Its server is there, and nobody behind it."""
    home = tmp_path / "home"
    joined(home, tmp_path / "known")
    before, code = files(tmp_path / "known"), code_for(home)

    async def silent() -> None:
        keeper = Keeper(home)
        await keeper.open()
        try:
            await keeper.connected()
            await keeper._dial.close()  # type: ignore[union-attr]
            with pytest.raises(DialError):
                await join(PlaceFolder(tmp_path / "known"), read(code), 0.5, "test")
            assert not (await join(PlaceFolder(tmp_path / "new"), read(code), 0.5, "test")).jwt
        finally:
            await keeper.close()

    asyncio.run(asyncio.wait_for(silent(), PATIENCE))
    assert files(tmp_path / "known") == before
    assert [one.jwt for one in PlaceFolder(tmp_path / "new").memberships()] == [""]


@pytest.mark.parametrize(
    ("cpu", "hours", "words"),
    [
        (1.0, "0-24", "one core at any hour"), (2.0, "22-6", "2 cores at 22-6 o'clock"),
        (0.5, "8-8", "0.5 of a core at any hour"), (1.5, "00:00 - 24:00", "1.5 cores at any hour"),
    ],
)  # fmt: skip
def test_limits_are_said_in_words(cpu: float, hours: str, words: str) -> None:
    terms = MachineTerms(cpu=cpu, hours=hours)
    assert f"{terms.cores_said} {terms.hours_said}" == words
