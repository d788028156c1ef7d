"""Forgetting: it is really gone, everything else is as before, and a crash leaves the one or the other."""

import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from random import Random
from shutil import copytree, rmtree
from types import FrameType
from typing import Any

import msgspec
import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from grown_folder import SEED, grow, small_world
from whimbrel.exchange.export import ExportWanted, export
from whimbrel.flows.copies import DecodedCopy, decoded
from whimbrel.records.url import Url
from whimbrel.repository.contract import FolderBusy, NothingThere
from whimbrel.repository.embedded.erase import erase, survey
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.embedded.store import Store
from whimbrel.repository.upkeep import ForgetTarget
from whimbrel.repository.views import Selection, Site

NOW = 2_000_000.0
ERASING = ("erase.py", "heirs.py", "rewrite.py")


def exported(folder: Path) -> dict[str, dict[str, Any]]:
    out = BytesIO()
    with Reader(folder) as reader:
        export("jsonl", reader, ExportWanted(), out)
    return {line["url"]: line for line in map(msgspec.json.decode, out.getvalue().splitlines())}


def without(pages: dict[str, dict[str, Any]], target: ForgetTarget) -> dict[str, dict[str, Any]]:
    """What has to be left: the nearest twin that stays takes the survivor's place."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for url, page in pages.items():
        if not target.covers(url):
            groups[page.get("duplicate_of", url)].append(page)
    left = {}
    for group in groups.values():
        first, *twins = sorted(group, key=lambda page: (page["depth"], page["url"]))
        left[first["url"]] = {k: v for k, v in first.items() if k not in ("duplicate_of", "reason")}
        for twin in twins:
            reason = "same bytes" if twin["digest"] == first["digest"] else "same text"
            left[twin["url"]] = twin | {"duplicate_of": first["url"], "reason": reason}
    return left


def check_archive(folder: Path) -> list[dict[str, str]]:
    """Both libraries find every digest right, and every revisit refers to a response that is there."""
    headers: list[dict[str, str]] = []
    for path in sorted((folder / "archive").iterdir()):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.any_type):
                named = {name.lower(): value for name, value in record.headers.items()}
                headers.append(named)
                if named["warc-type"] == "response":
                    assert record.verify_payload_digest(), named
        with path.open("rb") as file:
            for record in WarcioIterator(file, check_digests="raise"):
                record.content_stream().read()
    responses = {
        (h["warc-target-uri"], h["warc-date"], h["warc-payload-digest"])
        for h in headers
        if h["warc-type"] == "response"
    }
    for h in headers:
        if h["warc-type"] == "revisit":
            refers = (h["warc-refers-to-target-uri"], h["warc-refers-to-date"], h["warc-payload-digest"])
            assert refers in responses
    return headers


def all_bytes(folder: Path) -> bytes:
    """Every byte in the folder, and the archive's records and packed texts unzipped."""
    parts = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in sorted((folder / "archive").iterdir()):
        with path.open("rb") as file:
            parts += [record.reader.read() for record in ArchiveIterator(file, parse_http=False)]
    parts += [msgspec.json.encode(page) for page in exported(folder).values()]
    return b"\n".join(parts)


def check_left(folder: Path, before: dict[str, dict[str, Any]], target: ForgetTarget) -> None:
    world = small_world()
    assert exported(folder) == without(before, target)
    headers = check_archive(folder)
    for header in headers:
        for name in ("warc-target-uri", "warc-refers-to-target-uri"):
            assert not target.covers(header.get(name, "urn:none/")), header
    with Reader(folder) as reader:
        counts = reader.counts()
        assert sum(counts.states.values()) == counts.known
        for page in [*reader.pages(), *reader.pages(Selection(assets=True))]:
            copy = decoded(reader.body(page.url))
            assert isinstance(copy, DecodedCopy)
            assert copy.body == world[page.url].body
    with closing(Store(folder)) as store:
        assert store.notes == []
    bytes_left = all_bytes(folder)
    for words in own_words(before, target):
        assert words not in bytes_left


def own_words(pages: dict[str, dict[str, Any]], target: ForgetTarget) -> list[bytes]:
    """Text that only forgotten pages have; the copies in two kinds of clothes share theirs."""
    world = small_world()
    staying = {world[url].body for url in pages if not target.covers(url)}
    going = {world[url].body for url in pages if target.covers(url)} - staying
    return [body[body.find(b"<p>") + 3 :][:40] for body in going if b"very same" not in body]


@pytest.mark.parametrize("seed", range(12))
def test_forgotten_is_gone_and_the_rest_is_as_before(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    folder = tmp_path / "folder"
    grow(folder, small_world(), seed=seed, rollover_bytes=chance.choice([2_000, 10_000, 1 << 30]))
    before = exported(folder)
    known = sorted([*before, "http://a.example/moved", "http://a.example/gone", "http://a.example/look.svg"])
    for _ in range(2):
        target = ForgetTarget(tuple(Url(url) for url in chance.sample(known, chance.randint(1, 6))))
        losses = survey(folder, target)
        assert all(words in all_bytes(folder) for words in own_words(before, target))
        erased = erase(folder, target, NOW, "test")
        assert erased.losses == losses
        assert losses.urls == len(target.urls)
        check_left(folder, before, target)
        before = exported(folder)
        known = [url for url in known if url not in target.urls]


def test_a_site_goes_with_all_that_is_noted_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    grow(folder, small_world())
    before = exported(folder)
    target = ForgetTarget(site=Site("a.example"))
    erase(folder, target, NOW, "test")
    check_left(folder, before, target)
    with closing(open_database(folder)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {table: repr(database.execute(f"SELECT * FROM {table}").fetchall()) for table in tables}
    mentions = {table for table, row in rows.items() if "a.example" in row}
    # The note itself; nothing else but what the other host's pages say.
    assert mentions == {"forgotten"}
    assert "b.example" in rows["url"]


def test_forgetting_the_whole_of_everything_leaves_a_folder_that_can_be_used(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    grow(folder, small_world())
    for host in ("a.example", "b.example", "c.example"):
        erase(folder, ForgetTarget(site=Site(host)), NOW, "test")
    with Reader(folder) as reader:
        assert reader.counts().known == 0
        assert list(reader.pages()) == []
    with closing(Store(folder)) as store:
        assert store.pages == 0
    assert {header["warc-type"] for header in check_archive(folder)} == {"warcinfo"}


def test_what_was_forgotten_is_noted_until_it_is_allowed_again(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    grow(folder, small_world())
    target = ForgetTarget((Url("http://a.example/near"),))

    def noted() -> list[str]:
        with closing(open_database(folder)) as database:
            return [pattern for (pattern,) in database.execute("SELECT pattern FROM forgotten")]

    erase(folder, target, NOW, "test")
    assert noted() == ["http://a.example/near"]
    assert erase(folder, target, NOW, "test").losses.urls == 0  # a second time is no error
    erase(folder, target, NOW, "test", allow_again=True)
    assert noted() == []
    with pytest.raises(NothingThere, match="/near"):
        erase(folder, target, NOW, "test")


def test_followers_hear_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    grow(folder, small_world())
    with closing(open_database(folder)) as database:
        last = database.execute("SELECT max(seq) FROM event").fetchone()[0]
    erase(folder, ForgetTarget((Url("http://a.example/near"),)), NOW, "test")
    with closing(open_database(folder)) as database:
        events = database.execute(
            "SELECT e.kind, u.url FROM event e LEFT JOIN url u ON u.id = e.url WHERE seq > ? ORDER BY seq", (last,)
        ).fetchall()
    # /zipped is as near as /near was, and of the same bytes.
    assert events == [("forgotten", None), ("kept", "http://a.example/zipped")]


def test_nothing_is_erased_while_a_crawl_runs_or_where_nothing_is_known(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    grow(folder, small_world())
    before = exported(folder)
    with closing(Store(folder)), pytest.raises(FolderBusy):
        erase(folder, ForgetTarget((SEED,)), NOW, "test")
    with pytest.raises(NothingThere):
        erase(folder, ForgetTarget((SEED, Url("http://a.example/never"))), NOW, "test")
    with pytest.raises(NothingThere):
        survey(folder, ForgetTarget(site=Site("never.example")))
    with pytest.raises(NothingThere):
        erase(tmp_path / "nothing", ForgetTarget((SEED,)), NOW, "test")
    assert not (tmp_path / "nothing").exists()
    assert exported(folder) == before


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt() -> None:
    raise KeyboardInterrupt


def ended_after(lines: int, folder: Path, target: ForgetTarget, end: Callable[[], None] = kill) -> bool:
    """Erases in a child that ends before its n-th line of erasing code; whether it came that far."""
    child = os.fork()
    if child == 0:
        left = lines

        def trace(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal left
            if not frame.f_code.co_filename.endswith(ERASING):
                return None
            if event == "line":
                left -= 1
                if left == -1:
                    end()
            return trace

        sys.settrace(trace)
        try:
            erase(folder, target, NOW, "test")
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@pytest.mark.parametrize("end", [kill, interrupt])
def test_an_early_end_leaves_the_old_state_or_the_new_one(tmp_path: Path, end: Callable[[], None]) -> None:
    original = tmp_path / "original"
    grow(original, small_world(), seed=3, rollover_bytes=4_000)
    before = exported(original)
    target = ForgetTarget((Url("http://a.example/near"), Url("http://a.example/deep/1"), Url("http://a.example/moved")))
    after = without(before, target)
    seen = set()
    lines, ended = 0, True
    while ended:
        folder = tmp_path / f"after-{lines}"
        copytree(original, folder)
        ended = ended_after(lines, folder, target, end)
        with closing(Store(folder)):
            pass  # what a crawl does first: recover
        found = exported(folder)
        assert found in (before, after), f"ended after {lines} lines"
        seen.add("old" if found == before else "new")
        check_archive(folder)
        erase(folder, target, NOW, "test")
        check_left(folder, before, target)
        lines = lines * 5 // 4 + 7
    assert seen == {"old", "new"}


@pytest.mark.long
@pytest.mark.parametrize("end", [kill, interrupt])
def test_every_third_line_may_be_the_last(tmp_path: Path, end: Callable[[], None]) -> None:
    original, folder = tmp_path / "original", tmp_path / "folder"
    grow(original, small_world(), seed=3)
    before = exported(original)
    target = ForgetTarget((Url("http://a.example/near"), Url("http://a.example/deep/1")))
    after = without(before, target)
    lines, ended = 0, True
    while ended:
        copytree(original, folder)
        ended = ended_after(lines, folder, target, end)
        with closing(Store(folder)):
            pass
        assert exported(folder) in (before, after), f"ended after {lines} lines"
        check_archive(folder)
        rmtree(folder)
        lines += 3
    assert lines > 300


def test_a_kill_right_after_the_switch_is_finished_by_the_same_command(tmp_path: Path) -> None:
    original = tmp_path / "original"
    grow(original, small_world(), seed=5)
    before = exported(original)
    target = ForgetTarget(site=Site("b.example"))
    low, high = 0, 20_000
    while low < high:  # the first line count at which the switch has happened
        middle = (low + high) // 2
        folder = tmp_path / f"try-{middle}"
        copytree(original, folder, dirs_exist_ok=True)
        ended_after(middle, folder, target)
        low, high = (low, middle) if exported(folder) != before else (middle + 1, high)
    folder = tmp_path / "folder"
    copytree(original, folder)
    assert ended_after(low, folder, target)
    assert len(list((folder / "archive").iterdir())) == 2  # the old file is still there
    erased = erase(folder, target, NOW, "test")
    assert any("cut short" in note for note in erased.notes)
    check_left(folder, before, target)
