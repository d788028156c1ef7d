"""URLs met: new ones are judged, known ones come nearer, and with them all that was reached through them."""

from pathlib import Path

import pytest

from grown_folder import Served, page
from small_home import SmallHome, url_of
from whimbrel.flows.gather.deciding import Terms
from whimbrel.frontier.order import Order
from whimbrel.records.visit import Link
from whimbrel.urls.normal import key as key_of

CHAIN = {
    "/": Served(page("start here", ["/long1"])),
    "/long1": Served(page("one way round", ["/long2"])),
    "/long2": Served(page("two ways round", ["/goal"])),
    "/goal": Served(page("the goal of it", ["/beyond"])),
    "/beyond": Served(page("and what lies beyond")),
    "/short": Served(page("a short cut", ["/goal"])),
}


@pytest.mark.parametrize("seed", range(3))
def test_a_shorter_way_brings_all_that_hangs_on_it_nearer(tmp_path: Path, seed: int) -> None:
    home = SmallHome(tmp_path, CHAIN, seed=seed)
    home.plant("/")
    home.run()
    assert [home.row(path).depth for path in ("/goal", "/beyond")] == [3, 4]
    home.plant("/short")
    home.run()
    assert [home.row(path).depth for path in ("/goal", "/beyond")] == [1, 2]
    home.store.close()


def test_what_was_too_deep_is_due_once_it_is_nearer(tmp_path: Path) -> None:
    home = SmallHome(tmp_path, CHAIN, Terms(None, 2, Order.BREADTH))
    home.plant("/")
    home.run()
    assert home.row("/goal").outcome == "out_of_scope"
    home.plant("/short")
    home.run()
    assert [home.outcome(path) for path in ("/goal", "/beyond")] == ["fetched", "fetched"]
    home.store.close()


def test_a_site_takes_no_more_than_its_limit(tmp_path: Path) -> None:
    many = {f"/{n}": Served(page(f"page number {n} of many")) for n in range(9)}
    terms = Terms(None, None, Order.BREADTH, site_limits={"a.example": 4})
    home = SmallHome(tmp_path, {"/": Served(page("start here", list(many))), **many}, terms)
    home.plant("/")
    home.run()
    outcomes = [home.row(path).outcome for path in many]
    assert outcomes.count("fetched") == 3, "with the start page"
    assert set(outcomes) <= {"fetched", "out_of_scope", "refused"}
    home.store.close()


def test_a_sitemap_that_is_named_is_met_as_one(tmp_path: Path) -> None:
    home = SmallHome(tmp_path, {"/": Served(page("start here"))}, Terms(None, None, Order.BREADTH, sitemaps=True))
    url = url_of("/map.xml")
    gathering = home.gathering()
    gathering.offer([Link(key_of(url), url, 0, 0, True, "", "", sitemap=True)], [])
    home.store.commit(gathering.gathered.plan, home.now)
    assert (home.row("/map.xml").asset, home.outcome("/map.xml")) == (2, "discovered")
    assert home.step() is None, "it waits until links lead no further"
    home.store.close()
