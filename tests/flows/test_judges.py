"""A crawl that is sent out for a kind of page and for words at once: both travel, both are served, both are kept."""

import time
from pathlib import Path

import pytest

from folders import consistent, crawl, outcomes, rows
from shop_site import shop
from whimbrel.config import ConfigError
from whimbrel.flows.requests import as_sent, as_stored
from whimbrel.records.request import Worded
from whimbrel.repository.embedded.store import Store
from whimbrel.testing.web import Page, TinyWeb

ITEMS = {f"/item/{number}" for number in range(40)}
HERONS = {f"/story/{number}" for number in range(0, 60, 5)}


def pages() -> dict[str, Page]:
    """The shop, with a heron in every fifth story."""
    return {
        path: page.replace("<blockquote>", "<blockquote>a Heron, ")
        if path in HERONS and isinstance(page, str)
        else page
        for path, page in shop().items()
    }


def ask_for_words(folder: Path, *words: str) -> int:
    store = Store(folder)
    try:
        return store.requests.add([], as_stored(Worded(0, list(words))), None, time.time())
    finally:
        store.close()


def served(folder: Path) -> dict[object, set[str]]:
    found: dict[object, set[str]] = {}
    for number, url in rows(folder, "SELECT a.request, u.url FROM answer a JOIN url u ON u.id = a.url"):
        found.setdefault(number, set()).add("/" + str(url).split("/", 3)[3])
    return found


@pytest.mark.parametrize("migrants", [1, 2])
def test_two_judges_work_at_once(tmp_path: Path, migrants: int) -> None:
    words = ask_for_words(tmp_path, "heron")
    with TinyWeb(pages()) as web:
        like = [web.url("/item/3"), web.url("/item/8")]
        assert crawl(tmp_path, web.url("/"), like=like, migrants=migrants).why == "finished"
    assert served(tmp_path) == {words: HERONS, words + 1: ITEMS}
    others = {path: outcome for path, outcome in outcomes(tmp_path).items() if path not in ITEMS | HERONS}
    assert set(others.values()) == {"refused:structure"}
    (reason,) = rows(tmp_path, "SELECT reason FROM url WHERE url LIKE '%/story/1'")[0]
    assert "built otherwise than asked for" in str(reason)
    assert "heron" in str(reason)
    consistent(tmp_path)


def test_what_both_learned_is_kept_for_later_runs(tmp_path: Path) -> None:
    ask_for_words(tmp_path, "heron")
    with TinyWeb(pages()) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/item/3"), web.url("/item/8")], migrants=1)
    store = Store(tmp_path)
    kept = [as_sent(one, store.pages) for one in store.requests.every()]
    store.close()
    assert [type(request).__name__ for request in kept] == ["Worded", "Alike"]
    assert all(request is not None and request.fitted_on >= 20 and request.wanted for request in kept)


def test_a_second_judge_is_not_refused_what_it_never_saw(tmp_path: Path) -> None:
    """Pages on the shelf were packed by the judge of structure alone: for their words they have to be fetched."""
    with TinyWeb(pages()) as web:
        like = [web.url("/item/3"), web.url("/item/8")]
        assert crawl(tmp_path, web.url("/"), like=like, migrants=1).why == "finished"
        words = ask_for_words(tmp_path, "heron")
        assert crawl(tmp_path, web.url("/"), like=like, migrants=1).why == "finished"
    assert served(tmp_path)[words] == HERONS
    consistent(tmp_path)


def test_a_rule_over_judges_says_what_is_kept_and_a_later_rule_looks_again(tmp_path: Path) -> None:
    words = ask_for_words(tmp_path, "heron")
    with TinyWeb(pages()) as web:
        like = [web.url("/item/3"), web.url("/item/8")]
        assert crawl(tmp_path, web.url("/"), like=like, judges="words and not like", migrants=1).why == "finished"
        assert served(tmp_path) == {words: HERONS}
        (reason,) = rows(tmp_path, "SELECT reason FROM url WHERE url LIKE '%/item/7'")[0]
        assert "asked for is: words and not like" in str(reason)
        ask_for_words(tmp_path, "heron", "again")
        crawl(tmp_path, web.url("/"), like=like, judges="words or like", migrants=1)
    assert set().union(*served(tmp_path).values()) == HERONS | ITEMS
    consistent(tmp_path)


def test_a_rule_that_cannot_be_read_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with TinyWeb(pages()) as web:
        for rule, complaint in (("like and or", "a judge is missing"), ("like and topic", "nothing of that kind")):
            with pytest.raises(ConfigError, match=complaint):
                crawl(tmp_path / "a", web.url("/"), like=[web.url("/item/3"), web.url("/item/8")], judges=rule)
        with pytest.raises(ConfigError, match="nothing is asked for"):
            crawl(tmp_path / "b", web.url("/"), judges="like")
