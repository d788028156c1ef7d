"""A place in a process of its own, and home in the test: as they are on two machines, but for the cable."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.places.at import joining
from whimbrel.places.at.joining import PlaceFolder
from whimbrel.places.home.inviting import WantedPlace, invite
from whimbrel.places.home.keeper import Keeper
from whimbrel.places.link.code import read

PATIENCE = 300.0
"""Only what hangs takes so long; a busy machine does not."""
MONTH = 30 * 86_400.0


async def until(so: "object", patience: float = PATIENCE) -> None:
    """Until a condition holds that another process brings about: it is looked at between what the loop hears."""
    never = asyncio.Event()
    ends = time.monotonic() + patience
    while not so():  # type: ignore[operator]
        assert time.monotonic() < ends, "it never came to be"
        with suppress(TimeoutError):
            await asyncio.wait_for(never.wait(), 0.02)


def code_for(folder: Path, name: str = "library", *sites: str, lasts: float = MONTH) -> str:
    return invite(folder, WantedPlace(name, sites or ("127.0.0.1",), lasts)).code


def join(folder: Path, place: Path, name: str = "library", *sites: str) -> None:
    """Invites a place and lets it in."""
    code = code_for(folder, name, *sites)

    async def both() -> None:
        keeper = Keeper(folder)
        await keeper.open()
        try:
            await keeper.connected()
            await joining.join(PlaceFolder(place), read(code), PATIENCE, "test")
        finally:
            await keeper.close()

    asyncio.run(both())


def allow(place: Path, **changes: str) -> None:
    """Alters lines of place.toml."""
    lines = (place / "place.toml").read_text().splitlines()
    for key, value in changes.items():
        lines = [f"{key} = {value}" if line.startswith(f"{key} =") else line for line in lines]
    (place / "place.toml").write_text("\n".join(lines) + "\n")


def start_place(place: Path) -> "subprocess.Popen[bytes]":
    with (place / "said.txt").open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "whimbrel", "place", "run", "--dir", str(place)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
        )  # fmt: skip


@contextmanager
def at_work(place: Path) -> "Iterator[subprocess.Popen[bytes]]":
    process = start_place(place)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def crawl_far(folder: Path, *seeds: str, **options: object) -> RunEnd:
    settings = load(Path("/dev/null"), {}, api.flags_of(options))
    opened = api.open_crawl(settings, api.read_seeds(seeds), folder)
    try:
        return asyncio.run(asyncio.wait_for(api.run_crawl(opened), PATIENCE))
    finally:
        opened.store.close()
