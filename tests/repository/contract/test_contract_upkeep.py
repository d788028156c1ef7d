"""What every engine promises whoever forgets and thins: what goes is gone, and what shared its bytes stays whole."""

import pytest
from plans import A, keep, kept, url

from grown_folder import grow, small_world
from whimbrel.repository.contract import Became, FolderBusy, NothingThere, Plan
from whimbrel.repository.engines import erase, newest_format, open_reader, open_writer, survey, thin, upgrade
from whimbrel.repository.location import Location
from whimbrel.repository.upkeep import ForgetTarget, Losses
from whimbrel.repository.views import Site
from whimbrel.urls.normal import key as key_of


def grown(where: Location) -> None:
    """A page, two twins of it, and a page of its own."""
    store = open_writer(where)
    plan = kept(url("/"), b"shared", 1.0)
    keep(plan, url("/twin/1"), b"shared", 2.0, twin_of=url("/"))
    keep(plan, url("/twin/2"), b"shared", 3.0, twin_of=url("/"))
    keep(plan, url("/own"), b"own", 4.0)
    plan.seeds.append((url("/"), True))
    store.commit(plan, 4.0)
    store.close()


def test_a_twin_inherits_place_and_bytes(where: Location) -> None:
    grown(where)
    target = ForgetTarget((url("/"),))
    assert survey(where, target) == Losses(1, 1, 1, 1)
    done = erase(where, target, 9.0, "whimbrel")
    assert (done.losses, done.records) == (Losses(1, 1, 1, 1), 2)
    with open_reader(where) as reader:
        assert [(one.url, one.outcome) for one in reader.urls()] == [
            (url("/own"), "fetched"), (url("/twin/1"), "fetched"), (url("/twin/2"), "duplicate")
        ]  # fmt: skip
        assert [reader.body(url(path)).payload for path in ("/twin/1", "/twin/2", "/own")] == [
            b"shared", b"shared", b"own"
        ]  # fmt: skip
        assert url("/") not in {record.url for record in reader.records()}
        told = {record.headers.get("warc-refers-to-target-uri") for record in reader.records()}
        assert told == {None, url("/twin/1")}
        assert [(event.url, event.kind) for event in reader.events(4, 9)] == [
            (key_of(url("/")), "forgotten"), (key_of(url("/twin/1")), "kept")
        ]  # fmt: skip
        assert reader.forgot(0, 9)


def test_what_was_forgotten_is_refused_later_unless_allowed(where: Location) -> None:
    grown(where)
    erase(where, ForgetTarget((url("/own"),)), 9.0, "whimbrel")
    store = open_writer(where)
    assert store.forgotten == {url("/own")}
    with pytest.raises(FolderBusy):
        erase(where, ForgetTarget((url("/"),)), 9.0, "whimbrel")
    store.close()
    erase(where, ForgetTarget((url("/own"),)), 9.0, "whimbrel", allow_again=True)
    store = open_writer(where)
    assert store.forgotten == frozenset()
    store.close()
    with pytest.raises(NothingThere):
        survey(where, ForgetTarget((url("/unknown"),)))


def test_a_site_goes_with_its_seeds_and_robots(where: Location) -> None:
    grow(where, small_world())
    erase(where, ForgetTarget(site=Site("a.example")), 9.0, "whimbrel")
    with open_reader(where) as reader:
        assert {lane.host for lane in reader.lanes()} == {"b.example", "c.example"}
        assert reader.seeds() == []
        assert not reader.knows_host("a.example")
        assert not [record.url for record in reader.records() if record.url.startswith(A)]
        for page in reader.pages():
            assert reader.body(page.url).payload
        assert [page.url for page in reader.pages()] != []


def test_thinning_leaves_the_newest_and_what_others_share(where: Location) -> None:
    store = open_writer(where)
    store.commit(kept(url("/"), b"first", 1.0), 1.0)
    store.commit(kept(url("/twin"), b"first", 1.0, twin_of=url("/")), 1.0)
    for number in range(2, 5):
        store.commit(kept(url("/"), f"text {number}".encode(), float(number), known=True), float(number))
    store.close()
    would = thin(where, 2, 9.0, "whimbrel", dry_run=True)
    assert (would.versions, would.pages, would.records) == (2, 1, 0)
    done = thin(where, 2, 9.0, "whimbrel")
    assert (done.versions, done.pages, done.records) == (2, 1, 2)  # a record and its request; the other is shared
    with open_reader(where) as reader:
        assert [reader.body(url("/"), one).payload for one in reader.versions(url("/"))] == [b"text 3", b"text 4"]
        assert reader.body(url("/twin")).payload == b"first"
    assert thin(where, 2, 9.0, "whimbrel").versions == 0


def test_what_is_new_needs_no_upgrade(where: Location) -> None:
    grown(where)
    assert upgrade(where) == []
    assert newest_format(where) >= 1


def test_of_a_page_that_made_room_nothing_stays(where: Location) -> None:
    store = open_writer(where)
    store.commit(kept(url("/"), b"shared", 1.0), 1.0)
    store.commit(kept(url("/twin"), b"shared", 1.0, twin_of=url("/")), 1.0)
    store.commit(kept(url("/other"), b"its own", 1.0), 1.0)
    leaving = [key_of(url("/")), key_of(url("/other"))]
    became = Became("refused", "collection", "less important")
    store.commit(Plan(outcomes=dict.fromkeys(leaving, became), left=leaving), 2.0)
    assert [store.known([key])[key].version for key in leaving] == [None, None]
    assert [row.key for row in store.left_out_by(["collection"], -(1 << 63), 9)] == sorted(leaving)
    store.close()
    done = thin(where, 5, 9.0, "whimbrel")
    assert (done.versions, done.pages) == (2, 2)
    with open_reader(where) as reader:
        assert reader.versions(url("/")) == reader.versions(url("/other")) == []
        assert reader.body(url("/twin")).payload == b"shared", "what another shares is still there"
