"""Documents that pages about a topic link to: judged by their text at the migrant, kept where they are about it."""

from pathlib import Path

import pytest

pytest.importorskip("pypdfium2", reason="the extra `search` is not installed")

from folders import consistent, crawl, rows
from small_paper import paper
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import Page, TinyWeb

SOLAR = "Solar power comes from panels on a roof: in the sun a solar panel gives power to the house."
PURR = "Cats sleep on the sofa and purr; the tom cat and the kitten eat fish in the evening."


def pages() -> dict[str, Page]:
    """Links say nothing of what the documents are about."""
    names = ("a.pdf", "b.pdf", "broken.pdf", "news.rss", "data.bin")
    links = "".join(f"<a href=/files/{name}>file {name}</a> " for name in names)
    site: dict[str, Page] = {
        "/": "<title>Home</title>"
        + "".join(f"<a href=/{part}/{n}>{n}</a> " for part in ("sun", "cats") for n in range(12))
    }
    for number in range(12):
        site[f"/sun/{number}"] = f"<title>Solar power {number}</title><p>{SOLAR * 5} {number}</p>{links}"
        site[f"/cats/{number}"] = f"<title>Cat {number}</title><p>{PURR * 5} {number}</p>"
    feed = f"<rss version='2.0'><channel><title>Solar power</title><item><title>{SOLAR}</title></item></channel></rss>"
    return site | {
        "/files/a.pdf": paper(SOLAR),
        "/files/b.pdf": paper(PURR),
        "/files/broken.pdf": Reply(b"%PDF-1.4 and nothing of one", content_type="application/pdf"),
        "/files/news.rss": Reply(feed.encode(), content_type="application/rss+xml"),
    }


def test_a_document_is_kept_for_what_it_says(tmp_path: Path) -> None:
    with TinyWeb(pages()) as web:
        examples = [web.url("/sun/1"), web.url("/sun/2")]
        crawl(tmp_path, web.url("/"), subject="solar power", examples=examples, migrants=1)
    told = {
        str(url).rpartition("/")[2]: (str(outcome), str(reason))
        for url, outcome, reason in rows(tmp_path, "SELECT url, outcome, reason FROM url WHERE url LIKE '%/files/%'")
    }
    assert told["a.pdf"][0] == "fetched"
    assert "about “solar power”" in told["a.pdf"][1]
    assert told["b.pdf"][0] == "refused"
    assert "solar power" in told["b.pdf"][1]
    assert told["broken.pdf"][0] == "refused"
    assert "could not be read" in told["broken.pdf"][1]
    assert told["news.rss"][0] == "refused"
    assert "a feed lists pages" in told["news.rss"][1]
    consistent(tmp_path)


def test_a_document_that_was_refused_serves_another_topic_later(tmp_path: Path) -> None:
    """It waits on the shelf, as pages do, though nothing in it leads anywhere."""
    with TinyWeb(pages()) as web:
        for subject, part in (("solar power", "sun"), ("cats purr", "cats")):
            examples = [web.url(f"/{part}/1"), web.url(f"/{part}/2")]
            crawl(tmp_path, web.url("/"), subject=subject, examples=examples, migrants=1)
        asked = [request.path for request in web.log].count("/files/b.pdf")
    ((outcome, reason),) = rows(tmp_path, "SELECT outcome, reason FROM url WHERE url LIKE '%/files/b.pdf'")
    assert (outcome, "about “cats purr”" in str(reason), asked) == ("fetched", True, 1)


def test_where_only_structure_is_asked_for_no_document_is_read(tmp_path: Path) -> None:
    with TinyWeb(pages()) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/sun/1")], migrants=1)
    ((outcome, reason),) = rows(tmp_path, "SELECT outcome, reason FROM url WHERE url LIKE '%/files/a.pdf'")
    assert (outcome, "only those are judged" in str(reason)) == ("refused", True)
