"""The life of migrants in a running crawl: every verb by hand, through the socket that a person's command uses."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from watched import NOWHERE, Script, Watched, bounded

from folders import check_archives, consistent, crawl, everything, rows
from whimbrel.cli import exits
from whimbrel.cli.main import main
from whimbrel.migrants.home import crew
from whimbrel.migrants.home.choice import Choice, choose
from whimbrel.migrants.home.control import NAME, ask
from whimbrel.testing.web import TinyWeb, site

PAGES = site(400, 6, seed=11, duplicates=10, redirects=5, missing=4)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("plain")
    with TinyWeb(PAGES) as web:
        crawl(folder, web.url("/"), migrants=1)
        return normal(everything(folder), web)


def normal(result: Any, web: TinyWeb) -> Any:
    """Ports differ from run to run."""
    return json.loads(json.dumps(result, default=str).replace(f":{web.port}", ":PORT"))


async def clone(crawl: Watched) -> None:
    await crawl.asked(40)
    answer = await crawl.do("clone", "m1")
    assert " is born of m1" in answer["words"]


async def create(crawl: Watched) -> None:
    await crawl.asked(40)
    answer = await crawl.do("create", "")
    assert " is born, at here" in answer["words"]


async def dispatch_and_retract(crawl: Watched) -> None:
    await crawl.asked(40)
    before = await crawl.busiest()
    name = before["name"]
    answer = await crawl.do("dispatch", name, "cellar")
    assert answer["words"].endswith("at cellar")
    after = (await crawl.until(lambda crew: crew[name]["state"] == "active"))[name]
    assert after["place"] == "cellar"
    assert after["pid"] != before["pid"]
    assert Path(f"/proc/{after['pid']}/cwd").resolve().name == "cellar"
    answer = await crawl.do("retract", name)
    assert answer["words"].endswith("at here")


async def sleep_and_wake_elsewhere(crawl: Watched) -> None:
    await crawl.asked(40)
    before = await crawl.busiest()
    name = before["name"]
    assert (await crawl.do("deactivate", name))["words"].startswith(f"{name} is asleep")
    asleep = (await crawl.migrants())[name]
    assert asleep["tasks"] > 0, "its queue went with it"
    assert asleep["pid"] == 0
    with pytest.raises(ProcessLookupError):
        os.kill(before["pid"], 0)
    seen = len(crawl.web.log)
    assert (await crawl.do("activate", name, "cellar"))["words"].startswith(f"{name} is awake, at cellar")
    assert len(crawl.web.log) == seen, "nobody asked while it slept"


async def dispose(crawl: Watched) -> None:
    await crawl.asked(40)
    await crawl.do("clone", "m1")
    await crawl.until(lambda crew: crew["m2"]["state"] == "active")
    assert (await crawl.do("dispose", "m1"))["words"].startswith("m1 is disposed")
    assert "m1" not in await crawl.migrants()


async def kill_at_random(crawl: Watched) -> None:
    for number in range(3):
        await crawl.asked(40 + 90 * number)
        crew = await crawl.until(lambda crew: any(one["state"] == "active" for one in crew.values()))
        victim = next(one for one in crew.values() if one["state"] == "active")
        os.kill(victim["pid"], signal.SIGKILL)
        await crawl.until(lambda crew, gone=victim["name"]: gone not in crew)


@pytest.mark.parametrize("migrants", [1, 2])
@pytest.mark.parametrize(
    "script", [create, clone, dispatch_and_retract, sleep_and_wake_elsewhere, dispose, kill_at_random]
)
def test_whatever_becomes_of_migrants_the_result_is_the_same(
    tmp_path: Path, plain: list[Any], script: Script, migrants: int
) -> None:
    (tmp_path / "cellar").mkdir()
    place = tmp_path / "whimbrel.toml"
    place.write_text(f'[[place]]\nname = "cellar"\nfolder = "{tmp_path / "cellar"}"\n')
    folder = tmp_path / "data"
    with TinyWeb(PAGES) as web:
        # Slowly enough that there is work left to take along.
        pace = {"delay_seconds": 0.01} if script in (dispatch_and_retract, sleep_and_wake_elsewhere) else {}
        ended = bounded(place, folder, web, script, web.url("/"), migrants=migrants, **pace)
        assert ended.why == "finished"
        assert normal(everything(folder), web) == plain
        fetched = [request.path for request in web.log if request.path != "/robots.txt"]
    if script is not kill_at_random:
        assert sorted(fetched) == sorted(set(fetched)), "nothing was fetched twice"
    consistent(folder)
    check_archives(folder)


def test_who_sleeps_keeps_its_queue_over_a_restart_of_home(
    tmp_path: Path, plain: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "DROWSY_SECONDS", 0.0)
    folder = tmp_path / "data"

    async def fall_asleep(crawl: Watched) -> None:
        await crawl.asked(40)
        await crawl.do("deactivate", "m1")

    with TinyWeb(PAGES) as web:
        ended = bounded(NOWHERE, folder, web, fall_asleep, web.url("/"), migrants=1, delay_seconds=0.01)
        assert ended.why == "asleep"
        assert "migrants activate m1" in ended.words
        seen = len(web.log)
        assert crawl(folder, migrants=1).why == "asleep"
        assert len(web.log) == seen, "what it holds is nobody else's"

        assert main(["migrants", "activate", "m1", "--repo", str(folder)]) == 0
        assert crawl(folder, migrants=1).why == "finished"
        assert normal(everything(folder), web) == plain
        fetched = [request.path for request in web.log if request.path != "/robots.txt"]
    assert sorted(fetched) == sorted(set(fetched))


@pytest.mark.parametrize(
    ("verb", "name", "place", "words"),
    [
        ("clone", "m9", "", "there is no migrant m9; there are: m1"),
        ("activate", "m1", "", "m1 is active; `activate` needs one that is asleep"),
        ("dispatch", "m1", "", "say where to: --to PLACE"),
        ("dispatch", "m1", "attic", "there is no place `attic`; there are: here"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(
    tmp_path: Path, verb: str, name: str, place: str, words: str
) -> None:
    async def script(crawl: Watched) -> None:
        await crawl.until(lambda crew: crew.get("m1", {}).get("state") == "active")
        assert (await crawl.do(verb, name, place))["error"] == words
        crawl.web.release("/")

    with TinyWeb(site(5, 2)) as web:
        web.hold("/")
        assert bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=1).why == "finished"


def test_seeds_sent_to_a_running_crawl_come_before_all_others(tmp_path: Path) -> None:
    async def script(crawl: Watched) -> None:
        await crawl.asked(2)
        answer = await crawl.ask(send=[crawl.web.url("/late"), crawl.web.url("/")])
        assert answer == {"ok": True, "new": 1, "sooner": 0, "again": 0, "in_hand": 1}
        assert "error" in await crawl.ask(send=["no url"])
        crawl.web.release("/")

    pages = {**site(300, 8, seed=2), "/late": "<p>late"}
    with TinyWeb(pages) as web:
        web.hold("/")
        bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=1)
        asked = [request.path for request in web.log]
    assert asked.index("/late") == 2


def test_the_socket_answers_anybody_and_falls_over_nothing(tmp_path: Path) -> None:
    import socket

    async def script(crawl: Watched) -> None:
        assert "not understood" in str((await crawl.ask(ask="the way"))["error"])
        progress = await crawl.ask(ask="progress")
        assert {"pages", "queued", "bytes", "errors", "migrants"} <= progress.keys()

        def nonsense() -> bytes:
            with socket.socket(socket.AF_UNIX) as one:
                one.settimeout(60)
                one.connect(str(tmp_path / NAME))
                one.sendall(b"\xff\xfe{\n")
                return one.recv(200)

        assert b"one JSON object" in await asyncio.to_thread(nonsense)
        crawl.web.release("/")

    with TinyWeb(site(5, 2)) as web:
        web.hold("/")
        assert bounded(NOWHERE, tmp_path, web, script, web.url("/")).why == "finished"
    assert ask(tmp_path, {"ask": "progress"}) is None
    assert not (tmp_path / NAME).exists()


def test_a_choice_is_recorded_can_be_read_and_comes_out_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is something to choose once both are there, so the sites are named then."""
    addresses = [f"127.0.0.{number}" for number in range(1, 6)]

    async def script(crawl: Watched) -> None:
        await crawl.until(lambda crew: all(crew.get(name, {}).get("state") == "active" for name in ("m1", "m2")))
        assert (await crawl.ask(send=[crawl.web.url("/", address) for address in addresses[1:]]))["new"] == 4
        crawl.web.release("/wait")

    with TinyWeb({**site(20, 3), "/wait": "<p>wait"}, addresses=tuple(addresses)) as web:
        web.hold("/wait")
        bounded(NOWHERE, tmp_path, web, script, web.url("/wait"), migrants=2)
    choices = [
        msgspec.json.decode(record, type=Choice)
        for (record,) in rows(tmp_path, "SELECT record FROM choice")
        if isinstance(record, bytes)
    ]
    lanes = " ".join(choice.inputs.lane for choice in choices)
    assert [address for address in addresses[1:] if address not in lanes] == []
    assert all(choose(choice.inputs) == choice for choice in choices)
    assert {choice.chosen for choice in choices} == {"m1", "m2"}
    capsys.readouterr()
    assert main(["status", "--why", "127.0.0.3", "--repo", str(tmp_path)]) == 0
    assert "chosen again from the recorded figures: the same" in capsys.readouterr().out
    assert main(["status", "--why", "example.org", "--repo", str(tmp_path)]) == exits.NOT_FOUND
    assert main(["status", "--migrants", "--repo", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "m1" in shown
    assert "disposed" in shown
