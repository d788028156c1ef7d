"""What was kept, read back by others: pywb as a reader sees it, warcio and fastwarc record by record."""

import base64
import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
import zstandard
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator

from folders import archives, check_archives, crawl, outcomes
from whimbrel.testing.reply import encode
from whimbrel.testing.web import Page, Reply, TinyWeb

ROOT = Path(__file__).parents[2]
INSTALLER = ROOT / "requirements" / "install.py"
WORDS = "".join(
    f"<p>Zeile {number}: Regenbrachvögel ziehen übers Watt, 砂浜の鳥 🐦 und weiter.</p>\n" for number in range(400)
)

DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda body: body,
    "identity": lambda body: body,
    "gzip": gzip.decompress,
    "deflate": lambda body: zlib.decompress(body) if body[0] & 0x0F == 8 else zlib.decompress(body, -15),
    "br": brotli.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompressobj().decompress(body),
}


def text(name: str) -> bytes:
    return f"<!doctype html><title>{name}</title><h1>{name}</h1>{WORDS}".encode()


def coded(name: str, *codings: str, chunked: bool = False) -> Reply:
    return Reply(text(name), codings=codings, chunked=chunked)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
PAGES: dict[str, Reply] = {
    "/identity": coded("identity"),
    "/gzip": coded("gzip", "gzip"),
    "/deflate": coded("deflate", "deflate"),
    "/raw-deflate": coded("raw-deflate", "raw-deflate"),
    "/br": coded("br", "br"),
    "/zstd": coded("zstd", "zstd"),
    "/chunked": coded("chunked", chunked=True),
    "/chunked-gzip": coded("chunked-gzip", "gzip", chunked=True),
    "/chunked-br": coded("chunked-br", "br", chunked=True),
    "/chunked-zstd": coded("chunked-zstd", "zstd", chunked=True),
    "/upper-case": Reply(encode(text("upper"), ("gzip",)), headers=(("CONTENT-ENCODING", "GZIP"),)),
    "/latin": Reply(text("latin").decode().encode("latin-1", "replace"), content_type="text/html; charset=latin1"),
    "/old-server": Reply(raw=HEAD.replace(b"1.1", b"1.0") + text("old server")),
    "/bare-lines": Reply(raw=b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n" + text("bare lines")),
    "/hints": Reply(raw=b"HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" + HEAD + text("hints")),
    "/trailers": Reply(
        raw=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        + b"%x\r\n%b\r\n0\r\nX-Sum: 1\r\n\r\n" % (len(text("trailers")), text("trailers"))
    ),
    "/blank-line-first": Reply(b"\r\n\r\n" + text("blank line first")),
    "/umlaut-%C3%BC?q=%C3%A4&x=1": coded("umlaut"),
    "/empty": Reply(b""),
    "/paper.pdf": Reply(b"%PDF-1.4 " + bytes(range(256)) * 40, content_type="application/pdf"),
    # The same bytes again, in the same coding and in another: a revisit record, and a body of its own.
    "/twin/of-identity": Reply(text("identity")),
    "/twin/of-gzip": coded("gzip", "gzip"),
    "/twin/of-zstd": coded("zstd", "zstd"),
    "/twin/of-chunked-br": coded("chunked-br", "br"),
    "/twin/of-gzip-plain": coded("gzip"),
}  # fmt: skip
START = "<title>start</title>" + "".join(f'<a href="{path.replace("&", "&amp;")}">x</a>' for path in PAGES)


def expected(path: str) -> bytes:
    page = PAGES[path]
    if page.raw is not None:
        name = path.strip("/").replace("-", " ")
        return text(name)
    return text("upper") if path == "/upper-case" else page.body


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder, and the URL of every path."""
    folder = tmp_path_factory.mktemp("kept")
    pages: dict[str, Page] = {"/": START, **PAGES}
    with TinyWeb(pages) as web:
        crawl(folder, web.url("/"))
        urls = {path: web.url(path) for path in PAGES}
    assert set(outcomes(folder).values()) == {"fetched", "duplicate"}
    assert set(outcomes(folder)) == {"/", *PAGES}
    check_archives(folder)
    return folder, urls


def test_warcio_reads_back_every_body(kept: tuple[Path, dict[str, str]]) -> None:
    folder, urls = kept
    bodies: dict[str, bytes] = {}
    revisits: dict[str, str] = {}
    for archive in archives(folder):
        with archive.open("rb") as stream:
            for record in ArchiveIterator(stream):
                url = record.rec_headers.get_header("WARC-Target-URI")
                if record.rec_type == "revisit":
                    revisits[url] = record.rec_headers.get_header("WARC-Refers-To-Target-URI")
                elif record.rec_type == "response":
                    raw = record.raw_stream.read()
                    bodies[url] = DECODERS[(record.http_headers.get_header("Content-Encoding") or "").lower()](raw)
    for path, url in urls.items():
        assert bodies[revisits.get(url, url)] == expected(path), path
    assert len([url for url in urls.values() if url in revisits]) == 4


def test_fastwarc_reads_back_every_body(kept: tuple[Path, dict[str, str]]) -> None:
    folder, urls = kept
    bodies: dict[str, bytes] = {}
    revisits: dict[str, str] = {}
    for archive in archives(folder):
        with archive.open("rb") as stream:
            for record in FastIterator(stream, parse_http=True):
                url = record.headers.get("WARC-Target-URI", "")
                if record.record_type == WarcRecordType.revisit:
                    revisits[url] = record.headers["WARC-Refers-To-Target-URI"]
                elif record.record_type == WarcRecordType.response:
                    coding = (record.http_headers.get("Content-Encoding") or "").lower()
                    bodies[url] = DECODERS[coding](record.reader.read())
    for path, url in urls.items():
        assert bodies[revisits.get(url, url)] == expected(path), path


def test_no_transfer_coding_is_left_in_a_kept_head(kept: tuple[Path, dict[str, str]]) -> None:
    """Bodies are kept without it; a reader who found its header would take the first line for a length."""
    for archive in archives(kept[0]):
        with archive.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type in ("response", "revisit"):
                    assert record.http_headers.get_header("Transfer-Encoding") is None


@pytest.fixture(scope="module")
def pywb() -> Path:
    """pywb's pins are old, so it lives in an environment of its own, made at the first use."""
    done = subprocess.run([sys.executable, str(INSTALLER), "replay"], capture_output=True, text=True, timeout=300)
    sys.stderr.write(done.stderr)  # "installing its replay dependencies … (once)"
    if done.returncode:
        pytest.skip(f"pywb cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    sys.path.insert(0, str(INSTALLER.parent))
    try:
        from install import environment_for
    finally:
        sys.path.remove(str(INSTALLER.parent))
    return Path(environment_for("replay")) / "bin" / "python"


@pytest.fixture(scope="module")
def replayed(
    pywb: Path, kept: tuple[Path, dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, str]]:
    folder, urls = kept
    asked = {
        "folder": str(tmp_path_factory.mktemp("pywb") / "collections"),
        "archives": [str(archive) for archive in archives(folder)],
        "urls": list(urls.values()),
    }
    script = Path(__file__).with_name("replay_with_pywb.py")
    done = subprocess.run([pywb, script], input=json.dumps(asked), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answers: dict[str, dict[str, str]] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("path", PAGES)
def test_pywb_replays_what_the_server_sent(
    kept: tuple[Path, dict[str, str]], replayed: dict[str, dict[str, str]], path: str
) -> None:
    answer = replayed[kept[1][path]]
    assert answer["status"] == 200
    body = base64.b64decode(answer["body"])
    assert DECODERS[answer["coding"].lower()](body) == expected(path)
