"""A crawl with a filter of pages: what is kept, what is only followed, and who judges where it cannot run."""

import sys
from pathlib import Path

import pytest

from folders import consistent, crawl, outcomes, rows
from whimbrel.config import ConfigError
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import Page, TinyWeb

MORE = "Das Brot wird am Morgen aus dem Ofen geholt und auf dem Markt verkauft, solange es noch warm ist. " * 3
RECIPE = '<script type="application/ld+json">{"@type": "Recipe", "name": "Brot"}</script>'


def bakery() -> dict[str, Page]:
    pages: dict[str, Page] = {
        "/": "<title>Start</title><a href=/list>list</a><a href=/paper.pdf>paper</a>",
        "/list": "".join(f"<a href=/bread/{n}>{n}</a>" for n in range(8)),
        "/paper.pdf": Reply(b"%PDF-1.4", content_type="application/pdf"),
    }
    for n in range(8):
        text = MORE if n % 2 else "Kurz."
        pages[f"/bread/{n}"] = (
            f"<html lang=de><title>Brot {n}</title>{RECIPE if n < 4 else ''}<h1>Brot</h1><p>{text} {n}"
        )
    return pages


def kept(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome == "fetched"}


LONG_ONES = {f"/bread/{n}" for n in range(1, 8, 2)}


def test_pages_that_pass_are_kept_and_links_of_the_others_followed(tmp_path: Path) -> None:
    with TinyWeb(bakery()) as web:
        ended = crawl(tmp_path, web.url("/"), keep='page.language == "de" && page.words > 20')
    assert ended.why == "finished"
    assert kept(tmp_path) == LONG_ONES
    assert {outcome for path, outcome in outcomes(tmp_path).items() if path not in LONG_ONES} == {"refused:keep"}
    reasons = {str(reason) for (reason,) in rows(tmp_path, "SELECT reason FROM url WHERE rule = 'keep'")}
    assert reasons == {'not page.language == "de" && page.words > 20'}
    consistent(tmp_path)


@pytest.mark.parametrize(
    ("keep", "paths"),
    [
        ('"Recipe" in page.data', {f"/bread/{n}" for n in range(4)}),
        ('page.type == "application/pdf"', {"/paper.pdf"}),
        ("size(page.links) == 8 || page.depth == 0", {"/", "/list"}),
        ('page.path.startsWith("/bread/") && page.title.endsWith("7")', {"/bread/7"}),
    ],
)
def test_what_can_be_asked_of_a_page(tmp_path: Path, keep: str, paths: set[str]) -> None:
    with TinyWeb(bakery()) as web:
        crawl(tmp_path, web.url("/"), keep=keep)
    assert kept(tmp_path) == paths


def test_another_filter_judges_anew_what_the_former_refused(tmp_path: Path) -> None:
    with TinyWeb(bakery()) as web:
        crawl(tmp_path, web.url("/"), keep="page.words > 20")
        assert kept(tmp_path) == LONG_ONES
        crawl(tmp_path, web.url("/"), keep='page.path.startsWith("/bread/")')
    assert kept(tmp_path) == {f"/bread/{n}" for n in range(8)}


def test_an_expression_that_cannot_be_used_makes_no_folder(tmp_path: Path) -> None:
    with TinyWeb(bakery()) as web:
        with pytest.raises(ConfigError, match=r"\[crawl\] keep: character 6: a page has no `wrods`; did you mean"):
            crawl(tmp_path / "new", web.url("/"), keep="page.wrods > 20")
        assert not web.log
    assert not (tmp_path / "new").exists()


def test_a_program_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with TinyWeb(bakery()) as web, pytest.raises(ConfigError, match=r"keep_program: .*cannot be read"):
        crawl(tmp_path / "new", web.url("/"), keep_program=str(tmp_path / "missing.py"))


def test_a_filter_that_does_not_end_costs_its_pages_and_the_crawl_goes_on(tmp_path: Path) -> None:
    nested = "page.links.map(a, page.links.map(b, page.links.map(c, page.links.map(d, page.links.map(e, "
    nested += "page.links.map(f, page.links.map(g, a + b + c + d + e + f + g))))))).size() > 0"
    with TinyWeb(bakery()) as web:
        ended = crawl(tmp_path, web.url("/"), keep=f'page.path != "/list" || {nested}')
    assert ended.why == "finished"
    assert outcomes(tmp_path)["/list"] == "refused:keep"
    assert len(kept(tmp_path)) == 10
    ((reason,),) = rows(tmp_path, "SELECT reason FROM url WHERE rule = 'keep'")
    assert "was ended: it took more than 1 s of processor time" in str(reason)


@pytest.mark.long
def test_a_program_judges_pages_in_its_sandbox(tmp_path: Path) -> None:
    program = tmp_path / "wanted.py"
    program.write_text("def keep(page):\n    return page.words > 20 or f'only {page.words} words'\n")
    with TinyWeb(bakery()) as web:
        crawl(tmp_path / "kept", web.url("/"), keep_program=str(program))
        assert kept(tmp_path / "kept") == LONG_ONES
        program.write_text("def keep(page):\n    return page.path.startswith('/bread/')\n")
        crawl(tmp_path / "kept", web.url("/"), keep_program=str(program))
    assert kept(tmp_path / "kept") == {f"/bread/{n}" for n in range(8)}


def test_without_what_runs_it_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cel", None)
    with TinyWeb(bakery()) as web, pytest.raises(ConfigError, match="the extra `cel`"):
        crawl(tmp_path / "new", web.url("/"), keep="page.words > 20")
