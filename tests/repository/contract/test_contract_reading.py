"""What every engine promises whoever reads and follows: copies as they came, changes told once, events in order; and
all engines give the same answers about one history."""

from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from plans import HEAD, A, find, found, keep, kept, url

from conftest import ENGINES
from grown_folder import Served, grow, page, small_world
from whimbrel.repository.contract import Announced, Noted, NothingThere, Plan, Returned, Settled, Speaker
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Location
from whimbrel.repository.memory.engine import drop
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.port.writer import Writer
from whimbrel.repository.views import Position, Selection, Site
from whimbrel.urls.normal import key as key_of


def test_nothing_is_read_where_nothing_was_written(where: Location) -> None:
    with pytest.raises(NothingThere):
        open_reader(where)


def test_a_copy_comes_back_as_it_came_and_twins_share_it(writer: Writer, reader: Reader) -> None:
    writer.commit(kept(url("/"), b"the page", 1.0), 1.0)
    writer.commit(kept(url("/twin"), b"the page", 2.0, twin_of=url("/")), 2.0)
    for one in (url("/"), url("/twin")):
        content = reader.body(one)
        assert (content.head, content.payload) == (HEAD, b"the page")
    listed = reader.one(url("/twin"))
    assert listed is not None
    assert (listed.outcome, listed.duplicate_of) == ("duplicate", url("/"))
    assert reader.detail(url("/")).twins == (url("/twin"),)
    with pytest.raises(NothingThere):
        reader.body(url("/nowhere"))
    with pytest.raises(NothingThere):
        reader.detail(url("/nowhere"))
    with pytest.raises(NothingThere):
        reader.copy(99)


def test_versions_come_in_order_with_the_records_they_stand_in(writer: Writer, reader: Reader) -> None:
    writer.commit(kept(url("/"), b"first", 1.0), 1.0)
    writer.commit(kept(url("/"), b"second", 2.0, known=True, private=True), 2.0)
    versions = reader.versions(url("/"))
    assert [reader.body(url("/"), version).payload for version in versions] == [b"first", b"second"]
    assert [reader.copy(version.number).payload for version in versions] == [b"first", b"second"]
    assert [version.private for version in versions] == [False, True]
    assert reader.has_private(url("/"))
    records = {record.stand: record for record in reader.records()}
    stands = reader.stands(url("/"))
    assert [records[stands[version.number]].url for version in versions] == [url("/")] * 2
    assert [records[stands[v.number]].member == reader.record(v.number) for v in versions] == [True, True]
    assert [record.kind for record in records.values()] == ["warcinfo", *["response", "request"] * 2]
    assert reader.readings([v.number for v in versions] + [9]) == {1: b"read: first", 2: b"read: second"}
    assert list(reader.current_readings([url("/"), url("/no")])) == [(url("/"), b"read: second")]
    assert sorted(reader.digests()) == sorted(version.digest for version in versions)
    assert {number: mark.digest for number, mark in reader.marks([1, 2, 3]).items()} == {
        version.number: version.digest for version in versions
    }


def test_lists_are_chosen_and_paged(writer: Writer, reader: Reader) -> None:
    plan = kept(url("/kept"), b"kept", 1.0, private=True)
    find(plan, url("/b"), url("/a"), depth=1)
    find(plan, url("/", f"{A}:81"), depth=2)
    find(plan, url("/x.css"), depth=1, asset=1)
    writer.commit(plan, 1.0)

    def listed(**chosen: object) -> list[str]:
        selection = Selection(**chosen)  # type: ignore[arg-type]
        assert chosen.get("limit") or reader.count(selection) == len(list(reader.urls(selection)))
        return [one.url for one in reader.urls(selection)]

    everything = [url("/kept"), url("/a"), url("/b"), url("/x.css"), url("/", f"{A}:81")]
    assert listed() == everything
    assert listed(limit=2) == everything[:2]
    assert listed(after=(1, url("/a"))) == everything[2:]
    assert listed(outcomes=("fetched",)) == [url("/kept")] == [one.url for one in reader.pages()]
    assert listed(assets=True) == [url("/x.css")]
    assert listed(match="/[ab]$") == [url("/a"), url("/b")]
    assert listed(private=False) == everything[1:]
    assert listed(site=Site("a.example", "a.example:81")) == everything[4:]
    assert listed(site=Site("b.example")) == []


def test_followers_hear_of_events_and_read_what_is_so(writer: Writer, reader: Reader) -> None:
    writer.commit(kept(url("/"), b"first", 1.0), 1.0)
    writer.commit(kept(url("/"), b"second", 2.0, known=True), 2.0)
    writer.commit(kept(url("/twin"), b"second", 3.0, twin_of=url("/")), 3.0)
    one, twin = key_of(url("/")), key_of(url("/twin"))
    assert [(event.seq, event.url, event.kind) for event in reader.events(0, 99)] == [
        (1, one, "kept"), (2, one, "kept"), (3, twin, "kept")
    ]  # fmt: skip
    assert [event.seq for event in reader.events(1, 1)] == [2]
    assert (reader.last_event(), reader.events_after(1), reader.urls_after(0), reader.urls_after(3)) == (3, 2, 2, 0)
    newest = reader.newest([one, twin, 5])
    assert {key: (state.survivor, state.version, state.versions) for key, state in newest.items()} == {
        one: (True, 2, 2), twin: (False, 3, 1)
    }  # fmt: skip
    grouped = reader.grouped([one, twin, 5])
    assert {key: (state.kept, state.survivor) for key, state in grouped.items()} == {
        one: (True, url("/")), twin: (False, url("/"))
    }  # fmt: skip
    assert reader.still_there([one, twin, 5]) == {one, twin}
    assert not reader.forgot(0, 3)
    assert reader.knows_host("a.example")
    assert not reader.knows_host("b.example")


def test_redirects_and_ways_are_known(writer: Writer, reader: Reader) -> None:
    writer.commit(found(url("/old"), url("/new")), 0.0)
    old, new = key_of(url("/old")), key_of(url("/new"))
    writer.commit(Plan(settled=[Settled(old, "redirected", "", "", 301, 4.0, new, -1)]), 4.0)
    assert reader.redirects() == {old: new}
    assert (reader.redirects_since(4.0), reader.redirects_since(5.0)) == ([(url("/old"), url("/new"), 4.0)], [])
    assert reader.detail(url("/old")).target == url("/new")
    assert reader.ways([old, new]) == {}


def test_changes_are_told_once_in_the_order_of_commits(writer: Writer, reader: Reader) -> None:
    writer.commit(kept(url("/"), b"first", 1.0), 1.0)
    plan = Plan(news=[key_of(url("/late"))])
    keep(plan, url("/late"), b"news", 2.0)
    writer.commit(plan, 2.0)
    start = reader.position()
    plan = kept(url("/"), b"second", 4.0, known=True, title="Second")
    plan.noted.append(Noted(key_of(url("/")), 4.0, "changed", "words", 0.5, 1, 0, None, b"spots"))
    writer.commit(plan, 4.0)
    writer.commit(Plan(noted=[Noted(key_of(url("/late")), 3.0, "gone", "", 1.0, 2, -1, None, b"")]), 5.0)
    told = [(one.what, one.url, one.before, one.after) for one in reader.since(0.0)]
    first, new = ("first", url("/"), None, 1), ("new", url("/late"), None, 2)
    gone, changed = ("gone", url("/late"), 2, None), ("changed", url("/"), 1, 3)
    assert told == [first, new, gone, changed]
    assert [(one.what, one.url, one.before, one.after) for one in reader.since(4.0)] == [changed]
    ((*newest,),) = reader.batches(0.0, inf)
    assert [one.what for one in newest] == ["changed", "gone", "new"]
    assert [one.what for batch in reader.batches(0.0, 4.0, firsts=True) for one in batch] == ["gone", "new", "first"]
    assert (reader.first_count(0.0, inf), reader.first_count(1.5, inf)) == (1, 0)
    between = reader.between_versions(url("/"), 1, 3)
    assert between is not None
    assert (between.title, between.details) == ("Second", b"spots")
    assert reader.between_versions(url("/"), 1, 2) is None
    assert start == Position(0, 2)
    end = reader.position()
    assert [one.what for one in reader.told_between(start, end, None)] == ["gone", "changed"]
    assert [one.what for one in reader.told_between(Position(), end, None)] == ["new", "gone", "changed"]
    assert reader.told_between(end, end, None) == []
    assert reader.told_between(Position(), end, Site("b.example")) == []
    assert reader.position_after(Position(), 1) == Position(1, 3)
    assert reader.position_before(4.0) == Position(0, 2)
    assert dict(reader.changed_at(Site("a.example"))) == {url("/"): 4.0, url("/late"): 2.0}


def test_pages_in_doubt_and_listed_ones_are_shown(writer: Writer, reader: Reader) -> None:
    one = key_of(url("/"))
    writer.commit(kept(url("/"), b"page", 1.0), 1.0)
    plan = Plan(returned=[Returned(one, b"", "", "", b"away", 0, b"")], listed={one: (None, "", None, 1.0)})
    plan.queued.append((one, "a.example", 0, 9.0))
    writer.commit(plan, 2.0)
    assert [(absent.url, absent.absence, absent.due_at) for absent in reader.absent()] == [(url("/"), b"away", 9.0)]
    assert reader.absent(Site("b.example")) == []
    assert reader.listed() == {url("/")}
    assert writer.listed_on(writer.lane("a.example") or 0, 5) == [(url("/"), one)]
    assert reader.detail(url("/")).due_at == 9.0


def test_how_pages_were_come_upon_and_what_sitemaps_say(writer: Writer, reader: Reader) -> None:
    plan = kept(url("/"), b"one", 1.0)
    keep(plan, url("/listed"), b"two", 1.0)
    keep(plan, url("/twin"), b"one", 2.0, twin_of=url("/"))
    find(plan, url("/x.css"), asset=1)
    find(plan, url("/found"))
    plan.listed[key_of(url("/listed"))] = Announced(5.0, "daily", 0.8, 6.0)
    plan.occurrences = {key_of(url("/twin")): 3}
    plan.witnesses = {Speaker(1, "lastmod"): b"said"}
    writer.commit(plan, 2.0)
    pages = {one.key: one for one in reader.reached()}
    assert {key: (one.host, one.kept, one.listed, one.met) for key, one in pages.items()} == {
        key_of(url("/")): ("a.example", 1, 0, 0),
        key_of(url("/listed")): ("a.example", 1, 1, 0),
        key_of(url("/twin")): ("a.example", 0, 0, 3),
    }
    every = list(reader.candidates())
    assert [one.key for one in every] == sorted(pages)
    assert list(reader.candidates(2)) == every[:2]
    (listed,) = reader.candidates_among([key_of(url("/listed")), key_of(url("/found")), 7])
    assert (listed.priority, listed.listed, listed.changefreq, listed.announced_at) == (0.8, 1, "daily", 5.0)
    assert list(writer.past.candidates_among([listed.key])) == [listed]
    assert reader.witnesses("lastmod") == writer.past.witnesses("lastmod") == {1: b"said"}


# One history, every engine.


def history() -> list[dict[str, Served]]:
    """A world that changes: texts, twins that part and join, pages that go, move and come."""
    first = small_world()
    second = dict(first)
    second[f"{A}/near"] = Served(page("no longer the very same bytes", ["/fresh"]))
    second[f"{A}/fresh"] = Served(page("a page that nobody knew", ["/deep/1"]))
    second[f"{A}/other/2"] = Served(b"", 301, location="/other/1")
    del second[f"{A}/plain.txt"]
    third = dict(second)
    third[f"{A}/near"] = first[f"{A}/near"]
    third[f"{A}/deep/2"] = Served(b"gone", 410)
    third[f"{A}/look.svg"] = Served(b"<svg>the picture redrawn</svg>", mime="image/svg+xml")
    return [first, second, third]


def said(reader: Reader) -> Iterator[tuple[str, object]]:
    """Every question and its answer, as far as it does not name records, which have names by lot."""
    site = Site("a.example")
    overview = reader.overview()
    yield "overview", [getattr(overview, name) for name in overview.__struct_fields__ if name != "archives"]
    every = list(reader.urls())
    keys, urls = [one.key for one in every], [one.url for one in every]
    yield "urls", every
    yield "some urls", list(reader.urls(Selection(site=site, match="/[cd]", limit=4)))
    yield "pages", list(reader.pages())
    yield "assets", list(reader.pages(Selection(assets=True)))
    yield "lanes", reader.lanes()
    yield "details", [reader.detail(one) for one in urls]
    versions = [version.number for one in urls for version in reader.versions(one)]
    yield "copies", [(content.head, content.payload) for content in map(reader.copy, versions)]
    yield "readings", reader.readings(versions)
    yield "marks", reader.marks(versions)
    yield "digests", sorted(reader.digests())
    yield "records", [(one.kind, one.url, one.headers.get("warc-payload-digest")) for one in reader.records()]
    yield "events", reader.events(0, 1 << 40)
    yield "waiting", (reader.events_after(5), reader.urls_after(5), reader.last_event())
    yield "newest", reader.newest(keys)
    yield "pictures", reader.pictures(keys)
    yield "grouped", reader.grouped(keys)
    yield "there", reader.still_there(keys)
    yield "ways", reader.ways(keys)
    yield "redirects", (reader.redirects(), sorted(reader.redirects_since(0.0)))
    yield "since", list(reader.since(0.0))
    yield "on site", list(reader.since(0.0, Site("b.example")))
    yield "batches", [batch for firsts in (True, False) for batch in reader.batches(0.0, inf, firsts=firsts)]
    yield "told", reader.told_between(Position(), reader.position(), None)
    yield "position", (reader.position(), reader.position_before(overview.last_visit_at or 0.0))
    yield "changed", list(reader.changed_at(site))
    yield "absent", reader.absent()
    yield "dead", reader.dead_links()
    yield "candidates", (list(reader.candidates()), list(reader.candidates(3)))
    yield "some candidates", sorted(reader.candidates_among(keys[:5]))
    yield "reached", sorted(reader.reached())
    yield "witnesses", reader.witnesses("lastmod")
    yield "notes", reader.sitemap_notes(0.0)


@pytest.mark.parametrize("seed", [1, 2])
def test_all_engines_give_the_same_answers_about_one_history(tmp_path: Path, seed: int) -> None:
    answers: list[dict[str, object]] = []
    for engine in ENGINES:
        where = Location(engine, str(tmp_path / engine), tmp_path / engine)
        try:
            grow(where, *history(), seed=seed)
            with open_reader(where) as reader:
                answers.append(dict(said(reader)))
        finally:
            drop(where)
    first, *others = answers
    assert {"first", "changed", "moved"} <= {told.what for told in first["since"]}  # type: ignore[attr-defined]
    for other in others:
        for question, answer in first.items():
            assert other[question] == answer, question
