"""`bench harvest` on a site made up of files: three crawls of the same links, and what a labelled site is."""

import re
from pathlib import Path

import pytest

from whimbrel.bench import harvest
from whimbrel.bench.structure_pages import SitePages
from whimbrel.bench.structure_site import LabelledSite, NotThatSite

ITEMS, OTHERS = 40, 120


def page(main: str, links: list[str]) -> str:
    anchors = "".join(f'<li><a href="{href}">{href.partition("/")[0]} page</a></li>' for href in links)
    return f"<html><head><title>t</title></head><body><nav><p>n</p></nav><main>{main}</main><ul>{anchors}</ul></body>"


@pytest.fixture
def site(tmp_path: Path) -> LabelledSite:
    """Items hang on one list among many notes, so that breadth first meets most notes before them."""
    notes = [f"note/{n}.html" for n in range(OTHERS)]
    items = [f"item/{n}.html" for n in range(ITEMS)]
    for folder in ("note", "item"):
        (tmp_path / folder).mkdir()
    (tmp_path / "index.html").write_text(page("<h1>start</h1>", [*notes, "list.html", "moved.html"]))
    (tmp_path / "list.html").write_text(page("<h1>list</h1><div class='all'></div>", items))
    (tmp_path / "moved.html").write_text(
        '<meta http-equiv="refresh" content="0;url=list.html"><a href="list.html">l</a>'
    )
    for path in notes:
        (tmp_path / path).write_text(page("<div class='prose'><p>x</p><p>y</p></div>", ["../index.html"]))
    for path in items:
        facts = "<h1>i</h1><dl class='facts'><dt>a</dt><dd>b</dd></dl><table class='t'><tr><td>1</table>"
        (tmp_path / path).write_text(page(facts, ["../list.html"]))
    return LabelledSite(
        "made up", "none", tmp_path, "index.html", ("item",), re.compile(r"\bitem\b"),
        lambda _, path: "item" if path.startswith("item/") else "", 10,
    )  # fmt: skip


def test_ours_lies_between_breadth_first_and_the_oracle(site: LabelledSite) -> None:
    report = harvest.run(site, 1, lambda words: None)
    (items,) = report.harvests
    assert items.pages == ITEMS
    assert items.oracle.fetched <= items.ours.fetched < items.breadth.fetched
    assert items.breadth.fetched > OTHERS
    assert items.ours.found == items.breadth.found == items.oracle.found == round(0.8 * ITEMS)
    assert [goal.reached for goal in harvest.goals(report)] == [True]
    assert items.recognised == 1.0
    assert items.right > 0.8, "before the first fit some notes are taken for items"
    assert 0 < report.request_bytes < 16_000


def test_the_same_seed_gives_the_same_crawl(site: LabelledSite) -> None:
    first, second = (harvest.run(site, 2, lambda words: None).harvests for _ in range(2))
    assert first == second


def test_a_stub_leads_on_and_is_of_no_kind(site: LabelledSite) -> None:
    pages = SitePages(site)
    stub = pages.look(pages.numbers["moved.html"])
    assert stub.stub
    assert [target for target, _ in stub.links] == [pages.numbers["list.html"]]


def test_too_few_pages_of_a_kind_are_refused(site: LabelledSite) -> None:
    for n in range(3, ITEMS):
        (site.folder / f"item/{n}.html").unlink()
    with pytest.raises(NotThatSite, match="kind item"):
        harvest.run(site, 1, lambda words: None)
