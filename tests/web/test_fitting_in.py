"""What browsers and monitors ask a server for."""

import re
from collections.abc import Callable
from pathlib import Path

from lxml import etree
from web_client import Running

SPEC = {"o": "http://a9.com/-/spec/opensearch/1.1/"}
SAMPLE = re.compile(r'whimbrel_\w+(\{\w+="(?:[^"\\\\]|\\\\.)*"\})? -?[\d.e+-]+')


def test_a_browser_learns_how_to_search_here(server: Running) -> None:
    said = server.get("/opensearch.xml")
    assert said.headers["content-type"].startswith("application/opensearchdescription+xml")
    document = etree.fromstring(said.body)
    template = document.xpath("//o:Url[@type='text/html']/@template", namespaces=SPEC)[0]
    assert template == f"{server.address}/?q={{searchTerms}}"
    assert 0 < len(document.findtext("o:ShortName", namespaces=SPEC)) <= 16
    assert 'type="application/opensearchdescription+xml" href="/opensearch.xml"' in server.get("/").text


def test_a_monitor_is_told_how_it_goes(server: Running) -> None:
    said = server.get("/metrics")
    assert said.headers["content-type"].startswith("text/plain; version=0.0.4")
    samples = [line for line in said.text.splitlines() if not line.startswith("#")]
    assert [line for line in samples if not SAMPLE.fullmatch(line)] == []
    values = dict(line.rsplit(" ", 1) for line in samples)
    status = server.get("/api/status").json()
    assert int(values["whimbrel_pages"]) == status["pages"]
    assert int(values['whimbrel_urls{outcome="fetched"}']) == status["states"]["fetched"]
    assert values["whimbrel_crawl_running"] == "0"
    assert server.get("/healthz").text == "ok\n"


def test_health_needs_no_key_and_figures_do(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path / "new", host="0.0.0.0")
    assert (server.get("/healthz").status, server.get("/opensearch.xml").status) == (200, 200)
    refused = server.get("/metrics")
    assert (refused.status, "Bearer KEY" in refused.json()["error"]) == (401, True)
    assert server.get("/metrics", {"Authorization": f"Bearer {server.key}"}).text == ""


def test_a_folder_that_cannot_be_read_is_not_healthy(serving: Callable[..., Running], tmp_path: Path) -> None:
    (tmp_path / "crawl.sqlite").write_bytes(b"no database at all " * 100)
    assert serving(tmp_path).get("/healthz").status == 503
