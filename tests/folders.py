"""Crawling into a folder and looking at what is in it."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType
from warcio.bufferedreaders import BufferedReader
from warcio.checker import Checker

from ready_migrants import ready
from whimbrel import api
from whimbrel.config import load
from whimbrel.flows.packing import unpack
from whimbrel.flows.refresh.course import Course, RefreshWish
from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.records.url import Url

PATIENCE = 300.0
"""Only what hangs takes so long; a busy machine does not."""
ALL_OF_IT = RefreshWish(everything=True)
COMMAND = [sys.executable, "-m", "whimbrel", "crawl"]
WITHOUT_FORMAT_5 = (
    "DROP INDEX url_news; ALTER TABLE url DROP COLUMN news; ALTER TABLE lane DROP COLUMN surveyed_at;"
    "ALTER TABLE version DROP COLUMN private"
)
"""Statements that take out of a folder what format 5 brought."""
WITHOUT_FORMAT_6 = (
    "DROP TABLE passing; ALTER TABLE version DROP COLUMN quiet; ALTER TABLE revisit DROP COLUMN habits;"
    "ALTER TABLE change DROP COLUMN degree; ALTER TABLE change DROP COLUMN told"
)
"""The same of format 6."""
WITHOUT_FORMAT_7 = "CREATE TABLE follower (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID"
"""And of format 7, which brought nothing and took a table away."""


def crawl(folder: Path, *seeds: str, visits: int | None = None, clock: Clock = time, **options: object) -> RunEnd:
    """A crawl in this process, by the same way that the command takes; `visits` cuts it short after so many."""
    settings = load(Path("/dev/null"), {}, api.flags_of(options))
    opened = api.open_crawl(settings, api.read_seeds(seeds), folder, budget=visits, clock=clock, carrier=ready())
    try:
        return asyncio.run(asyncio.wait_for(api.run_crawl(opened), PATIENCE))
    finally:
        opened.store.close()


class RefreshRun(NamedTuple):
    """A refresh that is over."""

    end: RunEnd
    course: Course
    standings: Counter[str]


def refreshed(folder: Path, settings: Mapping[str, object] | None = None, wish: RefreshWish = ALL_OF_IT) -> RefreshRun:
    """A refresh in this process by one migrant, with these settings."""
    asked = load(None, {}, {"crawl.migrants": 1, **(settings or {})})
    refreshing = api.open_refresh(asked, folder, wish, carrier=ready())
    try:
        ended = asyncio.run(asyncio.wait_for(api.run_refresh(refreshing), PATIENCE))
    finally:
        refreshing.opened.store.close()
    return RefreshRun(ended, refreshing.course, refreshing.opened.manager.progress.standings)


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*COMMAND, *arguments, "--repo", str(folder), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(folder: Path, *arguments: str) -> dict[str, object]:
    done = subprocess.run(
        [*COMMAND, *arguments, "--repo", str(folder), "--json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def rows(folder: Path, query: str, values: Iterable[object] = ()) -> list[tuple[object, ...]]:
    database = sqlite3.connect(folder / "crawl.sqlite")
    try:
        return database.execute(query, tuple(values)).fetchall()
    finally:
        database.close()


def outcomes(folder: Path) -> dict[str, str]:
    """Every URL's outcome, by path; with the rule where there is one. Where no sitemap was found is left out."""
    return {
        "/" + str(url).split("/", 3)[3]: f"{outcome}:{rule}" if rule else str(outcome)
        for url, outcome, rule in rows(folder, "SELECT url, outcome, rule FROM url WHERE rule <> 'usual_place'")
    }


def everything(folder: Path) -> list[tuple[object, ...]]:
    """What must not depend on how a crawl ran: URLs, depths, outcomes, digests, survivors."""
    return sorted(
        rows(
            folder,
            "SELECT u.url, u.depth, u.outcome, u.rule, u.reason, hex(v.digest), s.url FROM url u"
            " LEFT JOIN version v ON v.id = u.version LEFT JOIN twins t ON t.id = v.twins"
            " LEFT JOIN url s ON s.id = t.survivor",
        ),
        key=str,
    )


def consistent(folder: Path) -> None:
    """Counts add up, nothing is stored twice, every version's record is where the database says."""
    ((known,),) = rows(folder, "SELECT count(*) FROM url")
    states = rows(folder, "SELECT outcome, count(*) FROM url GROUP BY outcome")
    assert sum(int(str(count)) for _, count in states) == known
    assert rows(folder, "SELECT url FROM version GROUP BY url HAVING count(*) > 1") == []
    assert rows(folder, "SELECT url FROM due GROUP BY url HAVING count(*) > 1") == []
    assert rows(folder, "SELECT * FROM version WHERE digest NOT IN (SELECT digest FROM body)") == []
    for name, end in rows(folder, "SELECT name, end FROM archive"):
        assert (folder / "archive" / str(name)).stat().st_size == end


def archives(folder: Path) -> list[Path]:
    return sorted((folder / "archive").glob("*.warc.gz"))


def check_archives(folder: Path) -> None:
    """Both checkers, since each misses damage that the other finds: what `warcio check` and `fastwarc check` do,
    in this process, where it takes a tenth of the time. `fastwarc check -p` takes every revisit record for damaged
    (it has the digest of a payload that stands elsewhere), so those are left out of that part."""
    for archive in archives(folder):
        with archive.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=False):
                assert record.verify_block_digest() or "WARC-Block-Digest" not in record.headers, record.record_id
        with archive.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=True):
                if record.record_type == WarcRecordType.response:
                    assert record.verify_payload_digest(), record.record_id
        # warcio 1.8 falls over brotli 1.2; without it the bytes are checked as they are kept, which is what matters.
        BufferedReader.DECOMPRESSORS.pop("br", None)
        checker = Checker(SimpleNamespace(inputs=[str(archive)], verbose=False))
        assert checker.process_all() == 0


def check_archives_by_command(folder: Path) -> None:
    for archive in archives(folder):
        for command in (["warcio", "check"], ["fastwarc", "check", "-q"]):
            tool = str(Path(sys.executable).parent / command[0])
            done = subprocess.run([tool, *command[1:], str(archive)], capture_output=True, text=True, timeout=PATIENCE)
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def url(text: str) -> Url:
    return api.read_seeds([text])[0]


def members(packed: bytes) -> bytes:
    """Everything in a file of gzip members, and what is gzip inside of that."""
    whole = b""
    while packed:
        inflate = zlib.decompressobj(wbits=31)
        whole += inflate.decompress(packed)
        packed = inflate.unused_data
    return whole


def every_byte(folder: Path) -> bytes:
    """As the files stand there, and with all that is packed unpacked: records, readings, what the database holds."""
    held = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_socket())
    held += b"".join(members(path.read_bytes()) for path in folder.rglob("*.warc.gz"))
    database = sqlite3.connect(folder / "crawl.sqlite")
    held += b"".join(line.encode() for line in database.iterdump())
    for (packed,) in database.execute("SELECT packed FROM reading"):
        held += str(unpack(packed)).encode()
    database.close()
    return held
