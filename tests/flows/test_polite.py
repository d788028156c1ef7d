"""How often and how many at a time a host is asked, by the server's own log."""

import base64
import sqlite3
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator

from commands import run
from folders import archives, crawl, finish, outcomes, rows
from whimbrel.flows.packing import unpack
from whimbrel.testing.reply import redirect, unavailable
from whimbrel.testing.web import Page, Reply, Request, TinyWeb, site

DELAY = 0.2
TOLERANCE = 0.01
"""The crawler's loop counts in milliseconds. However late a server notes a request on a busy machine: it does so before
it answers, and on loopback the next one waits from the answer on. It does not add up."""
ROBOTS = Reply(b"User-agent: *\nAllow: /\nCrawl-delay: 30\n", content_type="text/plain")


def spaced(requests: list[Request], delay: float = DELAY) -> bool:
    apart = gaps(requests)
    return min(apart) >= delay - TOLERANCE and sum(apart) >= len(apart) * delay - TOLERANCE


def gaps(requests: list[Request]) -> list[float]:
    return [after.started - before.started for before, after in pairwise(requests)]


class Counting(TinyWeb):
    """Knows how many requests of an address were under way at most."""

    def __init__(self, pages: dict[str, Page], **options: object) -> None:
        super().__init__(pages, **options)  # type: ignore[arg-type]
        self.under_way: dict[str, int] = {}
        self.most: dict[str, int] = {}

    async def _answer_next(self, reader: object, writer: object) -> bool:  # type: ignore[override]
        address = writer.get_extra_info("sockname")[0]  # type: ignore[attr-defined]
        before = len(self.log)
        try:
            return await super()._answer_next(reader, writer)  # type: ignore[arg-type]
        finally:
            if len(self.log) > before:
                self.under_way[address] = self.under_way.get(address, 0) - 1

    def _record(self, request: Request) -> int:
        address = request.server[0]
        self.under_way[address] = self.under_way.get(address, 0) + 1
        self.most[address] = max(self.most.get(address, 0), self.under_way[address])
        return super()._record(request)


def test_starts_are_a_delay_apart_and_one_at_a_time(tmp_path: Path) -> None:
    with Counting(site(8, 3)) as web:
        crawl(tmp_path, web.url("/"), delay_seconds=DELAY)
    assert [request.path for request in web.log][:2] == ["/robots.txt", "/"]
    assert len(web.log) == 10, "with robots.txt and the usual place of a sitemap"
    assert spaced(web.log)
    assert web.most == {"127.0.0.1": 1}


def test_the_delay_holds_from_one_run_to_the_next(tmp_path: Path) -> None:
    """A resumed crawl does not ask at once what the run before may have asked a moment ago."""
    with TinyWeb(site(8, 3)) as web:
        crawl(tmp_path, web.url("/"), delay_seconds=DELAY, limit=3)
        ended_at = time.monotonic()
        crawl(tmp_path, web.url("/"), delay_seconds=DELAY)
    resumed = [request for request in web.log if request.started > ended_at]
    assert resumed[0].started - ended_at >= DELAY - TOLERANCE
    assert spaced(resumed)


def test_hosts_are_crawled_side_by_side_and_each_at_its_own_pace(tmp_path: Path) -> None:
    addresses = tuple(f"127.0.0.{number}" for number in range(2, 8))
    with Counting(site(6, 3), addresses=addresses) as web:
        web.hold("/")  # nobody is answered before all have been asked
        together = threading.Thread(target=lambda: web.wait_for("/", len(addresses)) and web.release("/"))
        together.start()
        crawl(tmp_path, *(web.url("/", address) for address in addresses), delay_seconds=DELAY)
        together.join()
    first, last = [], []
    for address in addresses:
        own = [request for request in web.log if request.server[0] == address]
        assert len(own) == 8, "with robots.txt and the usual place of a sitemap"
        assert spaced(own)
        first.append(own[0].started)
        last.append(own[-1].started)
    assert set(web.most.values()) == {1}
    assert max(first) < min(last), "none was done before all had begun"


def test_a_host_that_does_not_answer_holds_up_no_other(tmp_path: Path) -> None:
    with TinyWeb(site(30, 4), addresses=("127.0.0.2",)) as slow, TinyWeb(site(30, 4)) as quick:
        slow.hold("/")
        pages = quick.pages

        def answer(request: Request) -> Reply:
            """The slow host is let go by the quick one's last page."""
            if len(quick.log) == 31:
                slow.release("/")
            reply = pages[request.path]
            assert isinstance(reply, Reply)
            return reply

        quick.pages = dict.fromkeys(pages, answer)
        assert crawl(tmp_path, slow.url("/"), quick.url("/")).why == "finished"
    assert set(outcomes(tmp_path).values()) <= {"fetched", "duplicate"}
    ((visited,),) = rows(tmp_path, "SELECT count(*) FROM url WHERE outcome IN ('fetched', 'duplicate')")
    assert visited == 60


def test_crawl_delay_does_not_win_on_loopback(tmp_path: Path) -> None:
    with TinyWeb(site(8, 3) | {"/robots.txt": ROBOTS}) as web:
        crawl(tmp_path / "none", web.url("/"))
        crawl(tmp_path / "given", web.url("/"), delay_seconds=DELAY)
    assert min(gaps(web.log[:10])) < 30, "robots.txt asks for more"
    assert min(gaps(web.log[10:])) < 30
    given = web.log[10:]
    assert len(given) == 10
    assert spaced(given)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_holds_the_whole_host(tmp_path: Path, status: int) -> None:
    pages = site(12, 4)
    paths = sorted(path for path in pages if path != "/")
    busy = paths[0]
    pages[busy] = [unavailable("1", status), pages[busy]]  # type: ignore[list-item]
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"), delay_seconds=0.05)
    asked = [request.path for request in web.log]
    at = asked.index(busy)
    assert asked.count(busy) == 2
    assert web.log[at + 1].started - web.log[at].started >= 1 - TOLERANCE
    assert set(outcomes(tmp_path).values()) == {"fetched"}


def test_robots_is_asked_once_and_remembered_for_the_next_run(tmp_path: Path) -> None:
    with TinyWeb(site(20, 4) | {"/robots.txt": ROBOTS}) as web:
        crawl(tmp_path, web.url("/"), limit=5)
        assert web.count("/robots.txt") == 1
        crawl(tmp_path, web.url("/"))
        assert web.count("/robots.txt") == 1
    assert list(outcomes(tmp_path).values()) == ["fetched"] * 20


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("http://10.0.0.1/robots.txt", "(address: 10.0.0.1: a private address"),
        ("http://169.254.169.254/latest", "(address: 169.254.169.254: a link-local address"),
        ("ftp://127.0.0.1/robots.txt", "(url: scheme ftp is neither http nor https"),
    ],
)
def test_robots_kept_where_we_do_not_go_is_not_permission(tmp_path: Path, place: str, words: str) -> None:
    with TinyWeb({**site(3), "/robots.txt": redirect(place)}) as web:
        done = run("crawl", web.url("/"), "--repo", tmp_path)
        assert [request.path for request in web.log] == ["/robots.txt"]
    assert done.returncode == 1
    told = " ".join(done.stdout.split())
    assert f"robots.txt redirects to {place}, where it may not be read {words}" in told
    assert outcomes(tmp_path) == {"/": "discovered"}
    assert rows(tmp_path, "SELECT count(*) FROM due") == [(1,)]


def test_robots_off_is_not_even_asked_for(tmp_path: Path) -> None:
    pages = site(3) | {"/robots.txt": Reply(b"User-agent: *\nDisallow: /\n")}
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"), robots_off_hosts=["127.0.0.1"])
        assert web.count("/robots.txt") == 0
    assert set(outcomes(tmp_path).values()) == {"fetched"}


# Who we are is told to nobody else.

SECRET = "s3cr3t-of-the-seed"


def kept_bytes(folder: Path) -> bytes:
    """Every byte the folder holds, what is compressed also unpacked, but for the bodies as servers sent them."""
    held = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    database = sqlite3.connect(folder / "crawl.sqlite")
    for (packed,) in database.execute("SELECT packed FROM reading"):
        held += "\n".join([unpack(packed).text, *unpack(packed).urls, *unpack(packed).anchors]).encode()
    held += b"".join(line.encode() for line in database.iterdump())
    database.close()
    for archive in archives(folder):
        with archive.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=False):
                block = record.reader.read()
                head, _, body = block.partition(b"\r\n\r\n")
                held += str(dict(record.headers)).encode() + head
                held += b"" if record.headers.get("WARC-Type") == "response" else body
    return held


def test_user_info_of_seeds_and_links_is_never_kept_nor_logged(tmp_path: Path) -> None:
    port_less = "http://user:{secret}@127.0.0.1:{port}{path}"
    with TinyWeb({}) as web:
        link = port_less.format(secret=SECRET, port=web.port, path="/linked")
        web.pages = {
            "/": f'<title>t</title><link rel=canonical href="{link}"><p>one</p><a href="{link}">x</a>',
            "/linked": "<p>two",
            "/seed": "<p>three",
            "/configured": "<p>four",
        }
        config = tmp_path / "whimbrel.toml"
        configured = port_less.format(secret=SECRET, port=web.port, path="/configured")
        config.write_text(f'[crawl]\nseeds = ["{configured}"]\n')
        folder, log = tmp_path / "data", tmp_path / "log"
        finish(folder, "--config", str(config), "--log-file", str(log))
        seed = port_less.format(secret=SECRET, port=web.port, path="/seed")
        finish(folder, web.url("/"), seed, "--log-file", str(log))
        finish(folder, "--log-file", str(log))
        sent = "".join(str(request.headers) + request.path for request in web.log)
    assert {path for path, outcome in outcomes(folder).items() if outcome == "fetched"} == set(web.pages)
    encoded = base64.b64encode(f"user:{SECRET}".encode()).decode()
    for trace in (SECRET, encoded, "user:"):
        assert trace not in sent
        assert trace not in log.read_text()
        assert trace.encode() not in kept_bytes(folder)
