"""Documents that are no pages, visited again: what they say is compared, and how their bytes came to be is not."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("pypdfium2", reason="the extra `search` is not installed")

from folders import crawl, refreshed
from small_paper import paper
from whimbrel.flows.packing import unpacked_spots
from whimbrel.repository.embedded.changes import Tellings
from whimbrel.testing.reply import Reply, Request
from whimbrel.testing.web import TinyWeb

PAGE = "<!doctype html><title>Lift</title><h1>Lift</h1><p>See <a href=/lift.pdf>what it carries</a>.</p>"


def load(kilograms: int) -> str:
    return f"The lift carries {kilograms} kg, and nobody may ride in it."


class Lift:
    """A site with one document, as it is served now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answer: Callable[[], Reply] = lambda: paper(load(300))
        self._known = 0
        self.web = TinyWeb({"/": PAGE, "/lift.pdf": self._answered, "/robots.txt": Reply(status=404)})

    def _answered(self, request: Request) -> Reply:
        return self.answer()

    def told(self, answer: Callable[[], Reply]) -> list[str]:
        """What a refresh tells of it, each change by what stands there now."""
        self.answer = answer
        refreshed(self.folder)
        with Tellings(self.folder) as reader:
            changes = [one for one in reader.since(0.0) if one.what == "changed" and one.url.endswith("lift.pdf")]
        new, self._known = changes[self._known :], len(changes)
        return [" ".join(spot.after for spot in unpacked_spots(one.details)[0]) for one in new if one.told]


@pytest.fixture
def lift(tmp_path: Path) -> Lift:
    return Lift(tmp_path / "kept")


def test_what_a_document_says_is_told_in_its_words(lift: Lift) -> None:
    with lift.web:
        crawl(lift.folder, lift.web.url("/"))
        assert lift.told(lambda: paper(load(300))) == []
        (said,) = lift.told(lambda: paper(load(250)))
        assert load(250) in said


def test_a_document_that_is_made_anew_for_each_request_is_quiet_until_it_says_something_else(lift: Lift) -> None:
    turns = count()

    def anew(kilograms: int) -> Callable[[], Reply]:
        return lambda: paper(load(kilograms), b"made at %d" % next(turns))

    with lift.web:
        lift.answer = anew(300)
        crawl(lift.folder, lift.web.url("/"))
        assert [lift.told(anew(300)) for _ in range(4)] == [[]] * 4
        (said,) = lift.told(anew(250))
        assert "250" in said
        assert lift.told(anew(250)) == []


def test_other_bytes_that_stay_are_told_though_no_word_is_another(lift: Lift) -> None:
    with lift.web:
        crawl(lift.folder, lift.web.url("/"))
        (said,) = lift.told(lambda: paper(load(300), b"another figure"))
        assert said.endswith(" bytes")
        assert lift.told(lambda: paper(load(300), b"another figure")) == []


def test_what_cannot_be_read_is_told_without_a_word(lift: Lift) -> None:
    broken = Reply(b"%PDF-1.4\nbroken", content_type="application/pdf")
    with lift.web:
        crawl(lift.folder, lift.web.url("/"))
        assert lift.told(lambda: broken) == [""]
