"""`search`, `index`, `terms` and `order` as the command line calls them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from grown_folder import Served, grow
from whimbrel.cli import index, order, search, terms
from whimbrel.flows.packing import pack
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading
from whimbrel.repository.contract import ArchivePiece, FoundUrl, Kept, Plan, Settled
from whimbrel.repository.embedded.store import Store
from whimbrel.search.build.indexer import Indexer
from whimbrel.urls.normal import key as key_of

Run = Callable[..., tuple[int, str, str]]
Call = Callable[..., Any]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def called(verb: click.Command, *arguments: str | Path) -> tuple[int, str, str]:
        code = verb.main([str(argument) for argument in arguments], standalone_mode=False)
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return called


def answered(said: tuple[int, str, str]) -> Any:
    return json.loads(said[1])


def test_search_catches_up_and_answers(run: Run, folder: Path) -> None:
    answer = answered(run(search.command, "very same bytes", "--repo", folder, "--json"))
    assert (answer["total"], answer["pending"]) == (1, 0)
    assert answer["hits"][0]["url"] == "http://a.example/near"
    assert answer["hits"][0]["twins"] == 6


def test_search_shows_hits_and_why(run: Run, folder: Path) -> None:
    code, out, err = run(search.command, "steps", "down", "--repo", folder, "--why", "--size", "1")
    assert code == 0
    assert "http://a.example/deep/" in out
    assert "the words are on the page" in out
    assert "1 of 2 pages in" in err


def test_foreign_text_cannot_command_the_terminal(run: Run, folder: Path) -> None:
    _, out, _ = run(search.command, "plain text of its own", "--repo", folder)
    assert "plain.txt" in out
    assert "\x1b" not in out


def test_a_typo_is_said(run: Run, folder: Path) -> None:
    _, out, _ = run(search.command, "evreywhere", "--repo", folder)
    assert out.startswith("Showing hits for: everywhere")
    assert run(search.command, "xyzzyq", "--repo", folder)[1] == "Nothing found.\n"


def test_index_counts_states(run: Run, folder: Path) -> None:
    first = answered(run(index.command, "--repo", folder, "--json"))
    assert (first["indexed"], first["pending"], first["states"]["shown"]) == (7, 0, 0)
    run(search.command, "steps", "--repo", folder)
    again = answered(run(index.command, "--rebuild", "--repo", folder, "--json"))
    assert (again["indexed"], again["states"]) == (7, {"indexed": 7, "shown": 2, "clicked": 0})


def test_a_busy_index_is_left_alone(run: Run, folder: Path) -> None:
    with Indexer(folder) as indexer:
        indexer.catch_up()
        code, _, err = run(index.command, "--rebuild", "--repo", folder)
        assert code == 4
        assert "another process writes this index" in err
        assert "another process" in run(search.command, "steps", "--repo", folder)[2]


def test_terms(run: Run, folder: Path) -> None:
    found = answered(run(terms.command, "bytes", "--repo", folder, "--json"))
    assert (found["term"], found["total"]) == ("byte", 1)
    assert "everywhere" in run(terms.command, "bytes", "--repo", folder)[1]


def test_order_gives_three_scores_and_two_other_orders(run: Run, folder: Path) -> None:
    found = answered(run(order.command, "--query", "steps", "--repo", folder, "--json"))
    pages = found["pages"]
    assert (len(pages), found["total"]) == (7, 7)
    assert [page["total"] for page in pages] == sorted((page["total"] for page in pages), reverse=True)
    assert all(page["total"] == pytest.approx(page["content"] + page["structure"]) for page in pages)
    assert all(page["structure"] >= 0.3 - 1e-9 for page in pages), "a page is like itself"
    assert found["precision"] == pytest.approx(sum(page["found"] > 0 for page in pages) / 7)
    assert {page["by_bm25"] for page in pages if page["found"]} == {1, 2}, "two pages say it"
    assert sorted(page["by_pagerank"] for page in pages) == list(range(1, 8))
    _, out, err = run(order.command, "--query", "steps", "--site", "a.example", "--limit", "1", "--repo", folder)
    assert out.count("http") == 1
    assert "say a word of 'steps'" in err


@pytest.mark.parametrize(
    ("asked", "said"), [(("…",), "no word in"), (("steps", "--site", "nowhere.example"), "no page of nowhere")]
)
def test_what_cannot_be_ordered_is_said(asked: tuple[str, ...], said: str, run: Run, folder: Path) -> None:
    with pytest.raises(click.ClickException, match=said):
        run(order.command, "--query", *asked, "--repo", folder)


TONGUES = {
    "ja": ("東京の図書館", "東京都立図書館は東京にある大きな図書館です。"),
    "th": ("หอสมุดแห่งชาติ", "หอสมุดแห่งชาติตั้งอยู่ในกรุงเทพมหานคร"),
    "he": ("ספרייה לאומית", "הספרייה הלאומית נמצאת בירושלים ומכילה ספרים רבים"),
    "ar": ("المكتبة الوطنية", "المكتبة الوطنية تحتوي على كتب كثيرة"),
    "hi": ("पुस्तकालय", "दिल्ली में एक बड़ा पुस्तकालय है"),
    "en": ("Parrots", "A parrot \N{PARROT} sat there."),
}


@pytest.fixture
def tongues(tmp_path: Path) -> Path:
    links = "".join(f'<a href="/{name}">{name}</a>' for name in TONGUES)
    world = {"http://a.example/": Served(f"<title>All</title><p>Many tongues.</p>{links}".encode())}
    for name, (title, text) in TONGUES.items():
        page = f"<!doctype html><html lang={name}><meta charset=utf-8><title>{title}</title><p>{text}</p>"
        world[f"http://a.example/{name}"] = Served(page.encode())
    grow(tmp_path / "tongues", world)
    return tmp_path / "tongues"


@pytest.mark.parametrize(
    ("typed", "page", "marked"),
    [
        ("図書館", "ja", "図書館"),
        ("大", "ja", "大"),
        ("กรุงเทพ", "th", "กรุงเทพ"),
        ("בירושלים", "he", "בירושלים"),
        ("كتب كثيرة", "ar", "كتب"),
        ("दिल्ली", "hi", "दिल्ली"),
        ("parrot \N{PARROT}", "en", "parrot"),
    ],
)
def test_every_tongue_is_found(run: Run, tongues: Path, typed: str, page: str, marked: str) -> None:
    answer = answered(run(search.command, typed, "--repo", tongues, "--json"))
    first = answer["hits"][0]
    assert first["url"] == f"http://a.example/{page}"
    assert next(text for text, on in first["snippet"] if on) == marked


def test_emoji_alone_are_no_words(run: Run, tongues: Path) -> None:
    code, out, err = run(search.command, "\N{PARROT}", "--repo", tongues)
    assert (code, out) == (0, "Nothing found.\n")
    assert "there is no word in it to search for" in err


def test_a_crawl_that_goes_on_is_followed(run: Run, folder: Path) -> None:
    run(search.command, "steps", "--repo", folder)
    store = Store(folder)  # as a crawl holds it
    try:
        url = Url("http://a.example/late")
        seal = b"late"
        plan = Plan(
            pieces=[ArchivePiece(seal, len(seal))], survivors={seal: key_of(url)}, events=[(key_of(url), "kept", 0)]
        )
        plan.found.append(FoundUrl(key_of(url), url, "a.example", 1, 0, 0, False, None, 1.0, "fetched", "", ""))
        plan.kept.append(
            Kept(key_of(url), url, 1.0, 200, "text/html", "utf-8", "en", "Late", "", seal, seal, 4, 4, "", "", "", 0,
                 True, seal, pack(Reading("a page that came late", [], [], [])))
        )  # fmt: skip
        plan.settled.append(Settled(key_of(url), "fetched", "", "", 200, 1.0, None, 0))
        store.commit(plan, 1.0)
        answer = answered(run(search.command, "came late", "--repo", folder, "--json"))
    finally:
        store.close()
    assert [hit["url"] for hit in answer["hits"]] == [url]
    assert answer["pending"] == 0


@pytest.mark.parametrize("verb", [("search", "curlew"), ("index",), ("terms", "curlew")])
def test_a_folder_without_a_crawl_is_said_and_stays_as_it_is(call: Call, tmp_path: Path, verb: tuple[str, ...]) -> None:
    said = call(*verb, "--repo", tmp_path)
    assert said.code == 3
    assert "holds no crawl. Start one with `whimbrel crawl URL" in said.err
    assert list(tmp_path.iterdir()) == []


def test_settings_reach_the_score(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHIMBREL_SEARCH_LINK_WEIGHT", "0.5")
    answer = answered(run(search.command, "steps", "--repo", folder, "--json"))
    assert {part["weight"] for part in answer["hits"][0]["parts"] if part["name"] == "link"} == {0.5}


def test_the_shape_of_the_answer_is_documented(run: Run, folder: Path) -> None:
    document = (Path(__file__).parents[2] / "docs" / "search.md").read_text()
    answer = answered(run(search.command, "steps", "--repo", folder, "--json"))
    names = [*answer, *answer["query"], *answer["hits"][0], *answer["hits"][0]["parts"][0], *answer["facets"][0]]
    assert [name for name in names if f"`{name}`" not in document] == []
