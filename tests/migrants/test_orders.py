"""The orders in which a crawl asks for pages, and which migrant gets what, seen from the server."""

from pathlib import Path

import pytest

from folders import consistent, crawl, everything, rows
from whimbrel.cli.main import main
from whimbrel.testing.web import Page, Reply, TinyWeb, site


def linked(*paths: str) -> str:
    return f"<title>{'+'.join(paths)}</title>" + "".join(f'<p><a href="{path}">{path}</a>' for path in paths)


@pytest.mark.parametrize("order", ["breadth", "depth", "coverage", "priority", "similarity"])
def test_every_order_ends_with_the_same_pages(tmp_path: Path, order: str) -> None:
    query = {"query": "page"} if order == "similarity" else {}
    with TinyWeb(site(200, 6, seed=5, duplicates=8, missing=3)) as web:
        crawl(tmp_path / "breadth", web.url("/"))
        crawl(tmp_path / order, web.url("/"), order=order, migrants=2, **query)
    assert everything(tmp_path / order) == everything(tmp_path / "breadth")
    consistent(tmp_path / order)


def hubs() -> dict[str, Page]:
    """Two pages link to little, one to much; their children wait at the same distance from the seed."""
    pages: dict[str, Page] = {"/": linked("/few", "/more", "/many")}
    for hub, count in (("few", 2), ("more", 6), ("many", 24)):
        pages[f"/{hub}"] = linked(*(f"/{hub}/{number}" for number in range(count)))
        pages |= {f"/{hub}/{number}": f"<p>{hub} leaf {number}" for number in range(count)}
    return pages


def asked(tmp_path: Path, order: str) -> list[str]:
    """The leaves wait together when the order decides: the first crawl keeps the hubs alone."""
    with TinyWeb(hubs()) as web:
        crawl(tmp_path, web.url("/"), limit=4, delay_seconds=0.01)
        web.log.clear()
        crawl(tmp_path, order=order, delay_seconds=0.01)
        return [request.path for request in web.log if request.path.count("/") == 2]


def test_priority_lists_hand_out_four_two_one(tmp_path: Path) -> None:
    """A page never fetched counts as many links as its parent: /many's children fill the upper lists."""
    leaves = asked(tmp_path, "priority")
    assert [path.split("/")[1] for path in leaves[:4]] == ["many"] * 4
    assert len(leaves) == len(set(leaves)) == 32


def test_greedy_coverage_begins_where_most_is_new_and_then_goes_elsewhere(tmp_path: Path) -> None:
    """Once one of its children is picked, what a hub's other children are expected to lead to is covered."""
    leaves = asked(tmp_path, "coverage")
    assert [path.split("/")[1] for path in leaves[:3]] == ["many", "more", "few"]


def test_greedy_coverage_counts_what_the_sitemap_lists_below_a_page(tmp_path: Path) -> None:
    """Nothing but the sitemap tells which of three directories leads to most."""
    sizes = {"few": 2, "more": 6, "many": 24}
    leaves = {f"/{name}/{number}": f"<p>{name} leaf {number}" for name, size in sizes.items() for number in range(size)}
    fronts = {f"/{name}/": linked(*(leaf for leaf in leaves if leaf.startswith(f"/{name}/"))) for name in sizes}
    pages: dict[str, Page] = {"/": linked("/all"), "/all": linked(*fronts), **fronts, **leaves}
    for order, first in (("breadth", ["/few/", "/more/", "/many/"]), ("coverage", ["/many/", "/more/", "/few/"])):
        with TinyWeb(pages) as web:
            locations = "".join(f"<url><loc>{web.url(path)}</loc></url>" for path in pages)
            sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locations}</urlset>'
            web.pages["/sitemap.xml"] = Reply(sitemap.encode(), content_type="application/xml")
            web.pages["/robots.txt"] = Reply(
                f"Sitemap: {web.url('/sitemap.xml')}\n".encode(), content_type="text/plain"
            )
            crawl(tmp_path / order, web.url("/"), limit=2, delay_seconds=0.01, order=order)
            listed = len(leaves) + 5 if order == "coverage" else 0
            assert rows(tmp_path / order, "SELECT count(*) FROM listed") == [(listed,)], "links come before sitemaps"
            web.log.clear()
            crawl(tmp_path / order, order=order, delay_seconds=0.01, limit=40)
            assert [request.path for request in web.log if request.path in fronts] == first


def test_similarity_begins_behind_pages_that_are_like_most(tmp_path: Path) -> None:
    """Three pages of four say the word; what the fourth leads to comes last, though it was found in between."""
    pages = hubs()
    for path in ("/", "/few", "/many"):
        pages[path] = f"<p>{'journal ' * 60}{pages[path]}"
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"), limit=4, delay_seconds=0.01)
        web.log.clear()
        crawl(tmp_path, order="similarity", query="journals", delay_seconds=0.01, migrants=1)
        leaves = [request.path for request in web.log if request.path.count("/") == 2]
    assert len(leaves) == 32
    assert {path.split("/")[1] for path in leaves[:8]} == {"few", "many"}, "after that one of each kind is tried"
    assert {path.split("/")[1] for path in leaves[-3:]} == {"more"}


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--order", "similarity"], "needs words to go by"),
        (["--order", "similarity", "--query", "…"], "no word"),
        (["--query", "journal"], "goes with --order similarity"),
    ],
)
def test_an_order_by_similarity_needs_a_query_and_a_query_that_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], complaint: str
) -> None:
    assert main(["crawl", "http://127.0.0.1:9/", "--repo", str(tmp_path / "data"), *flags]) == 2
    assert complaint in capsys.readouterr().err


def test_judgements_that_contradict_each_other_are_refused_with_the_worst_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows_of_nines = ["9 1/9 9 1/9 9 1/9 9", "9 1/9 9 1/9 9 1/9", "9 9 1/9 9 9", "1/9 9 9 1/9", "9 1/9 9", "9 9", "1/9"]
    judgements = ", ".join(f'"{row}"' for row in rows_of_nines)
    Path("whimbrel.toml").write_text(f"[migrants]\njudgements = [{judgements}]\n")
    assert main(["crawl", "http://127.0.0.1:9/", "--repo", str(tmp_path / "data")]) == 2
    complaint = capsys.readouterr().err
    assert "judgements" in complaint
    assert "should be about" in complaint
