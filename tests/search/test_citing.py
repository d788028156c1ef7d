"""A page that others send on to, which answer a question themselves, is a better answer."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from small_library import NOW, Book, keep

from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.citing import BY_ANY, FILE, Citations
from whimbrel.search.contract import SearchSettings
from whimbrel.search.graph import link_graph

BOOKS = {
    "/guide": Book("Guide", "To ring a curlew at night, hold the torch low.", {"/nets": "more", "/index": "all"}),
    "/nets": Book("Nets", "Mist nets. Of what a curlew weighs here is a table of many lines and columns"),
    "/boats": Book("Boats", "Boats. Of what a curlew weighs here is a table of many lines and columns"),
    "/index": Book("All", "lists of whatever there is, page by page, curlew and all the others that are kept here"),
    "/a": Book("Tides", "tides and moons", {"/index": "all"}),
    "/b": Book("Sands", "sands and dunes", {"/index": "all"}),
    "/c": Book("Winds", "winds and gusts", {"/index": "all"}),
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    keep(tmp_path, BOOKS)
    with Indexer(tmp_path, SearchSettings(meaning_weight=0.0)) as indexer:
        indexer.catch_up()
    return tmp_path


def cited(folder: Path, text: str, weight: float = 0.3) -> dict[str, float]:
    settings = SearchSettings(meaning_weight=0.0, link_weight=0.0, cited_weight=weight)
    with Searcher(folder, settings) as searcher:
        hits = searcher.answer(parse(text), now=NOW, why=True).hits
        for hit in hits:
            assert sum(part.points for part in hit.parts) == pytest.approx(hit.score)
        parts = {hit.title: {part.name: part.value for part in hit.parts} for hit in hits}
        return {title: values.get("cited", 0.0) for title, values in parts.items()}


def test_a_page_that_an_answer_links_to_comes_before_one_that_says_the_same(library: Path) -> None:
    found = cited(library, "how do I ring a curlew at night?")
    order = list(found)
    assert order[0] == "Guide"
    assert order.index("Nets") < order.index("Boats")
    assert found["Boats"] == 0.0
    by_any = {title: BY_ANY * math.log1p(count) / math.log1p(4) for title, count in (("Nets", 1), ("All", 4))}
    assert found["Nets"] - by_any["Nets"] == pytest.approx((1 - BY_ANY) * math.sqrt(1 - 1 / (len(BOOKS) - 1)))
    # Of the four pages that link to it one answers: their mean tells a quarter, and says little of so many.
    assert found["All"] - by_any["All"] == pytest.approx((1 - BY_ANY) * math.sqrt(1 / 4 - 1 / (len(BOOKS) - 1)))


def test_what_every_page_links_to_is_cited_by_none(tmp_path: Path) -> None:
    menu = {"/nets": "menu"}
    keep(tmp_path, {path: msgspec.structs.replace(book, links=menu) for path, book in BOOKS.items()})
    with Indexer(tmp_path, SearchSettings(meaning_weight=0.0)) as indexer:
        indexer.catch_up()
    assert cited(tmp_path, "how do I ring a curlew at night?")["Nets"] == pytest.approx(BY_ANY)


def test_bare_words_mean_the_pages_that_say_them(library: Path) -> None:
    assert set(cited(library, "ring curlew night").values()) == {0.0}


def test_without_the_file_no_page_is_cited_until_it_is_written_anew(library: Path) -> None:
    file = library / "index" / FILE
    file.write_bytes(file.read_bytes()[:100])
    assert set(cited(library, "how do I ring a curlew at night?").values()) == {0.0}
    file.unlink()
    assert set(cited(library, "how do I ring a curlew at night?").values()) == {0.0}
    with Indexer(library, SearchSettings(meaning_weight=0.0)) as indexer:
        indexer.catch_up()
    assert cited(library, "how do I ring a curlew at night?")["Nets"] > 0.0


def test_values_are_those_of_the_whole_matrix(library: Path) -> None:
    with Searcher(library) as searcher:
        keys, sources, targets = link_graph(searcher.state()[1])
    texts, pages = np.arange(1.0, len(keys) + 1), len(keys)
    linked = np.bincount(targets, minlength=pages)
    whole = np.bincount(targets, texts[sources] / texts.max(), pages)
    whole *= np.sqrt(1 / np.maximum(1, linked) - 1 / (pages - 1))
    whole = (1 - BY_ANY) * whole / max(1.0, whole.max()) + BY_ANY * np.log1p(linked) / np.log1p(linked.max())
    order = np.argsort(-texts)
    values = Citations(library / "index").values(keys[order], texts[order])
    assert values == pytest.approx(whole[order])
