"""A topic begins where a search endpoint of the settings answers."""

import json
from pathlib import Path

import pytest

from folders import rows
from whimbrel.cli.main import main
from whimbrel.testing.web import Page, Reply, TinyWeb

TEXT = "the harbour crane lifts heavy cargo from ships while the harbour crane driver watches"


def site() -> dict[str, Page]:
    return {f"/crane/{number}": f"<title>Harbour crane</title><p>{TEXT} {number}" for number in range(6)}


def answer(*urls: str) -> Reply:
    return Reply(json.dumps({"results": [{"url": url} for url in urls]}).encode(), content_type="application/json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


def crawled(folder: Path, web: TinyWeb, *flags: str, template: str = "/api?q={searchTerms}") -> int:
    Path("whimbrel.toml").write_text(f'[topic]\nsearch_url = "{web.url(template)}"\n')
    return main(["crawl", "--topic", "harbour crane", "--repo", str(folder), *flags])


def test_the_endpoint_is_asked_where_the_index_has_nothing(folder: Path) -> None:
    with TinyWeb(site()) as web:
        web.pages["/api?q=harbour%20crane"] = answer(web.url("/crane/0"), web.url("/crane/3"))
        assert crawled(folder, web, "--allow-network", "127.0.0.0/8") == 0
        assert sum(request.path.startswith("/api") for request in web.log) == 1
    assert rows(folder, "SELECT count(*) FROM url WHERE outcome = 'fetched'") == [(2,)]


def test_what_it_names_is_a_stranger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The endpoint is the owner's, who named its address; what it answers may be anybody's."""
    with TinyWeb(site()) as web:
        web.pages["/api?q=harbour%20crane"] = answer(web.url("/crane/0"))
        assert crawled(folder, web) == 1
        assert not any(request.path.startswith("/crane") for request in web.log)
    assert rows(folder, "SELECT outcome, rule FROM url WHERE url LIKE '%/crane/%'") == [("refused", "address")]


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (Reply(b"", status=503), "it answered 503"),
        (Reply(b"<!doctype html><p>hello"), "neither JSON nor"),
        (answer(), "nor the search endpoint"),
    ],
)
def test_an_endpoint_that_does_not_help_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], reply: Reply, complaint: str
) -> None:
    with TinyWeb({"/api?q=harbour%20crane": reply}) as web:
        assert crawled(folder, web) == 2
    assert complaint in capsys.readouterr().err


def test_a_template_without_a_place_for_words_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with TinyWeb({}) as web:
        assert crawled(folder, web, template="/api") == 2
    assert "{searchTerms}" in capsys.readouterr().err
