"""Coverage, freshness and classes of sites: counted, measured, estimated."""

from pathlib import Path

import pytest

from grown_folder import SEED, Served, grow, page
from whimbrel.flows.telling.site_figures import INDEXED, PAGES, RANK, UNIQUE, paces, site_figures
from whimbrel.records.url import Url
from whimbrel.repository.contract import Announced, Plan
from whimbrel.repository.engines import open_reader, open_writer
from whimbrel.revisit.classes import DAY, HOUR
from whimbrel.revisit.history import Sighting, after_visit, first_visit, packed
from whimbrel.urls.normal import key as key_of

ONE, TWO = Url(f"{SEED}one"), Url(f"{SEED}two")


def world(words: str) -> dict[str, Served]:
    same = Served(page("what one and two both say, to the last byte"))
    return {SEED: Served(page(words, ["/one", "/two", "/three"])), ONE: same, TWO: same,
            f"{SEED}three": Served(page("a page that always says this", ["/"]))}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four pages, one a copy, visited again after two days and after two more: the first page changed each time."""
    grow(tmp_path, world("in spring"), world("in summer the flocks are far away"), world("in autumn they come back"))
    with open_reader(tmp_path) as reader:
        at = max(one.visited_at for one in reader.candidates())
    store = open_writer(tmp_path)
    store.commit(Plan(listed={key_of(SEED): Announced(at + DAY, "daily", 0.9, at + DAY)}), at)
    store.close()
    return tmp_path


def test_coverage_is_counted_over_pages_unique_and_indexed_ones_and_rank(folder: Path) -> None:
    ranks = {key_of(SEED): 0.5, key_of(ONE): 0.25, key_of(Url(f"{SEED}three")): 0.25}
    with open_reader(folder) as reader:
        (site,) = site_figures(reader, ranks, 0.0)
        (unranked,) = site_figures(reader, {}, 0.0)
    shares = {over: (reach.whole, reach.by_sitemap, reach.by_links) for over, reach in site.coverage.items()}
    assert shares[PAGES] == (4, 1 / 4, 1.0)
    assert shares[UNIQUE] == shares[INDEXED] == (3, 1 / 3, 1.0)
    # Three times the mean share of three pages is 1.5; the copy that nobody ranked counts as unlinked.
    assert shares[RANK] == (pytest.approx(3.15), pytest.approx(1.5 / 3.15), 1.0)
    assert (site.weighed_by, unranked.weighed_by) == ("PageRank", "links counted")
    assert INDEXED not in unranked.coverage


def test_what_visits_found_is_measured_and_now_is_estimated(folder: Path) -> None:
    with open_reader(folder) as reader:
        at = max(one.visited_at for one in reader.candidates())
        (then,) = site_figures(reader, {}, at)
        (later,) = site_figures(reader, {}, at + 3 * DAY)
        (much_later,) = site_figures(reader, {}, at + 300 * DAY)
    assert (then.upkeep.seen_again, then.upkeep.found_as_kept) == (4, 3)
    assert then.upkeep.fresh > later.upkeep.fresh > much_later.upkeep.fresh >= 0.0
    assert then.upkeep.age_seconds < later.upkeep.age_seconds < much_later.upkeep.age_seconds < 300 * DAY
    assert (later.upkeep.announced, later.upkeep.announced_at) == (1, pytest.approx(at + DAY))


def test_pages_have_classes_of_their_own(folder: Path) -> None:
    with open_reader(folder) as reader:
        found = {one.url: pace for one, pace in paces(reader, reader.urls())}
        (site,) = site_figures(reader, {}, 0.0)
    assert set(found.values()) <= set(site.classes)
    assert found[SEED] == "weekly"


def test_a_page_that_changes_every_hour_is_of_another_class(folder: Path) -> None:
    store = open_writer(folder)
    held = store.past.held([key_of(ONE)])[key_of(ONE)]
    history = first_visit(held.at)
    for hour in range(1, 30):
        history = after_visit(history, Sighting(held.at + hour * HOUR, changed=True))
    store.commit(Plan(returned=[held.returned._replace(history=packed(history))]), held.at)
    store.close()
    with open_reader(folder) as reader:
        found = {one.url: pace for one, pace in paces(reader, reader.urls())}
        (site,) = site_figures(reader, {}, 0.0)
    assert (found[ONE], found[SEED]) == ("daily", "weekly")
    assert site.classes == {"daily": 1, "weekly": 1, "monthly": 2}
