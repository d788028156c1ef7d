"""Filters on somebody else's machine: those that travel are heeded there, the others by home."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from packed import PackedPipes
from piped import Pipes
from test_channel import crawl_by_pipes

from folders import consistent, crawl, everything, rows
from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants.judge import UrlJudge
from whimbrel.records.url import Url
from whimbrel.testing.web import TinyWeb, site
from whimbrel.urls.filters import travels

EVEN = "filters_of_ours:even"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter in Python, of home's machine."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "filters_of_ours.py").write_text("def even(url):\n    return '3' not in url.split('/')[-1]\n")
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))


@pytest.mark.parametrize(
    ("declared", "so"),
    [
        ({"pattern": ["/a/"]}, True),
        ({"any": [{"domain": ["a.example"]}, {"not": {"extension": ["pdf"]}}]}, True),
        ("package.module:function", False),
        ({"plugin": "os:system"}, False),
        ({"all": [{"pattern": ["a"]}, {"not": {"plugin": "os:system"}}]}, False),
    ],
)
def test_which_filters_travel(declared: object, so: bool) -> None:
    assert travels(declared) is so


@pytest.mark.usefixtures("plugin")
def test_a_filter_in_python_is_left_to_home_and_the_result_is_the_same(tmp_path: Path) -> None:
    pipes = PackedPipes(tmp_path / "held-home", tmp_path / "held-place")
    with TinyWeb(site(40, 4, seed=3)) as web:
        # In this process, which knows the filter: one that was started before the test does not.
        crawl_by_pipes(tmp_path / "local", Pipes(), web.url("/"), filter=EVEN, migrants="1")
        crawl_by_pipes(tmp_path / "packed", pipes, web.url("/"), filter=EVEN, migrants="1")
    assert everything(tmp_path / "packed") == everything(tmp_path / "local")
    assert rows(tmp_path / "packed", "SELECT count(*) FROM url WHERE rule = 'filter'") > [(0,)]
    consistent(tmp_path / "packed")


def test_what_a_brief_names_is_never_imported_abroad() -> None:
    """The module does not even exist: at home that is an error."""
    settings = load(Path("/dev/null"), {}, {"crawl.exclude": ["/no/"]})
    brief = replace(api.brief_for(settings, [Url("https://a.example/")], []), filters=[{"plugin": "nowhere:run"}])
    assert UrlJudge(brief, abroad=True)(Url("https://a.example/x")).accepted
    with pytest.raises(ValueError, match="nowhere"):
        UrlJudge(brief)


def test_a_filter_of_pages_that_cannot_run_at_the_place_is_run_by_home(tmp_path: Path) -> None:
    """Nothing that runs filters is at the other end of these pipes."""
    pipes = PackedPipes(tmp_path / "held-home", tmp_path / "held-place")
    keep = "page.depth == 2"
    with TinyWeb(site(40, 4, seed=3)) as web:
        crawl(tmp_path / "local", web.url("/"), keep=keep, migrants="1")
        crawl_by_pipes(tmp_path / "packed", pipes, web.url("/"), keep=keep, migrants="1")
    assert everything(tmp_path / "packed") == everything(tmp_path / "local")
    assert {row[2] for row in everything(tmp_path / "local")} >= {"fetched", "refused"}
    consistent(tmp_path / "packed")
