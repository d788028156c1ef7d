"""What every engine promises whoever writes: plans whole or not at all, a queue in order, leases, one writer."""

import pytest
from plans import A, find, found, keep, kept, url

from whimbrel.repository.contract import (
    DONE,
    FolderBusy,
    FoundUrl,
    Lease,
    LeaseWanted,
    Only,
    Plan,
    RepositoryError,
    Returned,
    RobotsCopy,
    Roll,
    Settled,
    Speaker,
)
from whimbrel.repository.engines import exists, open_reader, open_writer
from whimbrel.repository.location import Location
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import key as key_of


def leased(writer: Writer, count: int = 10, now: float = 10.0, **named: object) -> list[str]:
    lane = writer.lane("a.example")
    assert lane is not None
    return [known.url for _, known in writer.lease(LeaseWanted(lane, count, now, **named))]  # type: ignore[arg-type]


def test_there_is_one_writer_and_it_makes_the_repository(where: Location) -> None:
    assert not exists(where)
    first = open_writer(where)
    assert exists(where)
    with pytest.raises(FolderBusy):
        open_writer(where)
    first.close()
    open_writer(where).close()


def test_what_was_committed_is_there_for_the_next_writer(where: Location) -> None:
    first = open_writer(where)
    first.commit(kept(url("/"), b"a page", 5.0), 5.0)
    first.remember("order", ("breadth", 2))
    first.close()
    second = open_writer(where)
    assert (second.pages, second.recall("order"), second.recall("nothing")) == (1, ["breadth", 2], None)
    known = second.known([key_of(url("/")), 7])
    assert [(row.url, row.outcome, row.version, row.tries) for row in known.values()] == [(url("/"), "fetched", 1, 1)]
    second.close()


def test_a_plan_is_taken_whole_or_not_at_all(writer: Writer, reader: Reader) -> None:
    writer.commit(kept(url("/"), b"a page", 5.0), 5.0)
    before = reader.overview()
    plan = found(url("/new"))
    keep(plan, url("/other"), b"another", 6.0)
    find(plan, url("/"))  # known already
    plan.traffic["novel"] = (10, 1)
    with pytest.raises(RepositoryError):
        writer.commit(plan, 6.0)
    assert reader.overview() == before
    assert not writer.known([key_of(url("/new")), key_of(url("/other"))])
    assert reader.last_event() == 1
    plan.found = [row for row in plan.found if row.url != url("/")]
    plan.queued = [place for place in plan.queued if place[0] != key_of(url("/"))]
    assert writer.commit(plan, 6.0) == 2
    assert reader.count() == 3


def test_bytes_that_are_kept_are_not_kept_again(writer: Writer, reader: Reader) -> None:
    writer.commit(kept(url("/"), b"a page", 5.0), 5.0)
    with pytest.raises(RepositoryError):
        writer.commit(kept(url("/same"), b"a page", 6.0), 6.0)
    assert reader.count() == 1


def test_the_queue_goes_by_band_then_by_age_or_youth(writer: Writer) -> None:
    plan = Plan()
    find(plan, url("/later"), band=2)
    find(plan, url("/1"), url("/2"), url("/3"), band=1)
    writer.commit(plan, 0.0)
    assert leased(writer) == [url(path) for path in ("/1", "/2", "/3", "/later")]
    assert leased(writer, newest_first=True) == [url(path) for path in ("/3", "/2", "/1", "/later")]
    assert leased(writer, 2) == [url("/1"), url("/2")]
    assert leased(writer, 2, leased={key_of(url("/1"))}) == [url("/2"), url("/3")]


def test_a_lane_is_shared_by_slices_and_leaves_out_what_is_away(writer: Writer) -> None:
    writer.commit(found(*(url(f"/{n}") for n in range(40)), url("/", f"{A}:81")), 0.0)
    every = leased(writer, 99)
    halves = [leased(writer, 99, slices=tuple(part)) for part in (range(8), range(8, 16))]
    assert all(halves)
    assert sorted(halves[0] + halves[1]) == sorted(every)
    assert leased(writer, 99, away=(A,)) == [url("/", f"{A}:81")]


def test_what_is_postponed_comes_when_it_is_due(writer: Writer) -> None:
    writer.commit(found(url("/1"), url("/2")), 0.0)
    lane = writer.lane("a.example") or 0
    (first, known), _ = writer.lease(LeaseWanted(lane, 2, 10.0))
    assert (first.key, first.attempt) == (known.key, 0) == (key_of(url("/1")), 0)
    writer.commit(Plan(postponed=[(first, 20.0)]), 10.0)
    assert leased(writer, now=10.0) == [url("/2")]
    assert (writer.next_due(lane, 10.0), writer.next_due(lane, 20.0)) == (20.0, 0.0)
    again = writer.lease(LeaseWanted(lane, 1, 20.0))[0][0]
    assert again == first._replace(attempt=1)
    assert writer.lanes_due() == [(lane, "a.example", 2, 0.0)]
    assert writer.still_due([first, Lease(lane, 0, 99, 1, 0)]) == [first]
    assert [place.key for place in writer.places_of([first.key])] == [first.key]
    writer.commit(Plan(done=[first]), 21.0)
    assert leased(writer, now=30.0) == [url("/2")]
    assert writer.still_due([first]) == [] == writer.places_of([first.key])


def test_leases_can_be_of_kept_pages_or_of_files_alone(writer: Writer) -> None:
    plan = found(url("/page"))
    find(plan, url("/style.css"), asset=1)
    keep(plan, url("/kept"), b"kept", 1.0)
    plan.queued.append((key_of(url("/kept")), "a.example", 0, 0.0))
    writer.commit(plan, 1.0)
    assert leased(writer, only=Only.KEPT) == [url("/kept")]
    assert leased(writer, only=Only.ASSETS) == [url("/style.css")]
    assert [lane[2] for only in Only for lane in writer.lanes_due(only)] == [3, 1, 1]


def test_the_queue_is_sorted_anew_in_another_order(writer: Writer) -> None:
    plan = Plan()
    find(plan, url("/near"), depth=1, band=2)
    find(plan, url("/far"), depth=3, band=6)
    writer.commit(plan, 0.0)
    writer.reband("depth", lambda depth, asset: -depth)
    assert leased(writer) == [url("/near"), url("/far")]  # nobody had said in which order it was
    writer.remember("order", "breadth")
    writer.reband("breadth", lambda depth, asset: -depth)
    assert leased(writer) == [url("/near"), url("/far")]
    writer.reband("depth", lambda depth, asset: -depth)
    assert leased(writer) == [url("/far"), url("/near")]


def test_deciding_hears_of_rows_bodies_groups_and_patterns(writer: Writer) -> None:
    plan = kept(url("/"), b"a page", 5.0)
    plan.patterns["a.example /x"] = b"state"
    writer.commit(plan, 5.0)
    digest = plan.kept[0].digest
    assert writer.bodies([digest, b"?"])[digest][1:] == (url("/"), 5.0)
    assert writer.survivors([digest, b"?"]) == {digest: key_of(url("/"))}
    assert writer.version_of(key_of(url("/"))) == (digest, digest, b"read: a page")
    assert writer.version_of(1) is None
    assert writer.has_patterns()
    assert writer.patterns(["a.example /x", "b"]) == {"a.example /x": b"state"}
    writer.commit(Plan(dissolved=[digest]), 6.0)
    assert writer.survivors([digest]) == {}


def test_rows_are_changed_by_what_plans_say(writer: Writer, reader: Reader) -> None:
    writer.commit(found(url("/1"), url("/2")), 0.0)
    one, two = key_of(url("/1")), key_of(url("/2"))
    plan = Plan(
        depths={one: 4},
        outcomes={two: ("refused", "trap", "too deep")},
        occurrences={one: 3},
        news=[one],
        roles={two: 2},
    )
    writer.commit(plan, 1.0)
    writer.commit(Plan(occurrences={one: 2, 99: 1}, depths={99: 1}), 2.0)
    known = writer.known([one, two])
    assert (known[one].depth, known[one].news, known[two].outcome) == (4, 1, "refused")
    assert (known[one].asset, known[two].asset) == (0, 2)
    assert writer.kin([one, two, 99]) == {one: (None, 5), two: (None, 0)}
    assert writer.reasons([one, two]) == {one: "", two: "too deep"}
    assert [row.key for row in writer.refused_by("trap")] == [two]
    assert writer.left_out_by(["trap"], -(2**63), 9) == []  # it is due
    assert [known.key for _, known in writer.waiting(-(2**63), 9)] == [one]
    assert writer.admitted("a.example") == 1
    assert [(trap.reason, trap.urls) for trap in reader.overview().traps] == [("too deep", 1)]


def test_a_host_is_surveyed_when_its_first_crawl_is_over(writer: Writer) -> None:
    plan = kept(url("/"), b"a page", 1.0)
    find(plan, url("/next"))
    writer.commit(plan, 1.0)
    writer.survey(2.0, refreshing=False)
    assert not writer.surveyed("a.example")
    writer.survey(2.0, refreshing=True)
    assert writer.surveyed("a.example")
    assert not writer.surveyed("b.example")


def test_seeds_robots_and_traffic_are_remembered(writer: Writer, reader: Reader) -> None:
    copies = [
        RobotsCopy(origin, 1.0, 200, b"") for origin in (A, f"{A}:81", "https://a.example", "http://a.example.org")
    ]
    writer.commit(Plan(seeds=[(url("/b"), True), (url("/led"), False)], robots=copies, traffic={"novel": (5, 1)}), 1.0)
    writer.commit(Plan(seeds=[(url("/a"), True), (url("/led"), True)], traffic={"novel": (7, 1)}), 2.0)
    assert writer.seeds() == [(url("/b"), True), (url("/led"), False), (url("/a"), True)]
    assert reader.seeds() == [url("/b"), url("/a")]
    assert sorted(copy.origin for copy in writer.robots("a.example")) == [A, f"{A}:81", "https://a.example"]
    assert [origin for origin, _, _ in writer.past.origins()] == sorted(copy.origin for copy in copies)
    assert reader.counts().bytes["novel"] == 12


def test_witness_pages_are_private_and_nearest_first(writer: Writer) -> None:
    plan = kept(url("/b"), b"one", 1.0, private=True)
    keep(plan, url("/a"), b"two", 1.0, private=True)
    keep(plan, url("/open"), b"three", 1.0)
    keep(plan, url("/x", "http://b.example"), b"four", 1.0, private=True)
    writer.commit(plan, 1.0)
    assert [one for one, _ in writer.private_pages([A], 9)] == [url("/a"), url("/b")]
    assert [one for one, _ in writer.private_pages([A], 1)] == [url("/a")]


def test_migrants_have_names_that_are_never_given_twice(where: Location, writer: Writer) -> None:
    names = [writer.roster.name() for _ in range(2)]
    roll = Roll(names[1], "asleep", "here", "here", "", 1.0, 2.0, 3, 4, b"queue", "1")
    writer.roster.save(roll)
    writer.roster.save(roll._replace(visits=9))
    writer.roster.forget_old()
    assert writer.roster.rolls() == [roll._replace(visits=9)]
    with open_reader(where) as reader:
        assert reader.migrants() == writer.roster.rolls()
    writer.close()
    again = open_writer(where)
    assert again.roster.name() not in names
    again.close()
    open_writer(where)  # for the fixture to close


def test_requests_are_asked_answered_and_ended(writer: Writer, reader: Reader) -> None:
    asked = writer.requests
    number = asked.add([url("/example")], b"structure", 2, 1.0)
    other = asked.add([url("/other")], b"", None, 2.0)
    plan = kept(url("/found"), b"found", 3.0)
    plan.answers = {key_of(url("/found")): number, 99: number}
    writer.commit(plan, 3.0)
    asked.reword(other, b"told again")
    first, second = reader.requests()
    assert (first.number, first.found, first.most, first.state) == (number, 1, 2, "open")
    assert (second.number, second.found, second.structure) == (other, 0, b"told again")
    assert asked.asked([url("/example")]) == first
    assert asked.end(number, DONE, 4.0)
    assert not asked.end(number, DONE, 5.0)
    assert [one.number for one in asked.open()] == [other]
    asked.go_on(number, 5)
    assert [(one.state, one.most, one.finished_at) for one in asked.every()] == [
        ("open", 5, None),
        ("open", None, None),
    ]


def test_choices_are_kept_by_host(writer: Writer, reader: Reader) -> None:
    writer.commit(found(url("/")), 0.0)
    lane = writer.lane("a.example") or 0
    writer.commit(Plan(choices=[(lane, 1.0, b"one"), (lane, 2.0, b"two")]), 2.0)
    assert (reader.choice("a.example"), reader.choice("b.example")) == (b"two", None)


def test_earlier_visits_are_known(writer: Writer) -> None:
    one = key_of(url("/"))
    writer.commit(kept(url("/"), b"first", 1.0, etag='"1"'), 1.0)
    writer.commit(kept(url("/"), b"second", 2.0, known=True), 2.0)
    past = writer.past
    past.prepare()
    held = past.held([one, 5])[one]
    assert (held.version, held.at, held.announced_at) == (2, 2.0, None)
    assert [at for at, _ in past.states(one)[1]] == [1.0, 2.0]
    assert [copy.payload for version in (1, 2) if (copy := past.copy(version))] == [b"first", b"second"]
    assert past.copy(3) is None
    assert past.validators([one]) == {}  # the newest has none
    returned = Returned(one, b"digest", '"2"', "", b"away", 0, b"history")
    writer.commit(
        Plan(returned=[returned], listed={one: (5.0, "daily", None, 6.0)}, witnesses={Speaker(1, "x"): b"said"}), 3.0
    )
    assert past.held([one])[one].returned == returned
    assert past.validators([one])[one].etag == '"2"'
    assert past.absent() == {one: b"away"}
    assert (past.witness(1, "x"), past.witness(2, "x"), past.witnesses("x")) == (b"said", b"", {1: b"said"})
    (candidate,) = past.candidates()
    assert (candidate.history, candidate.announced_at, candidate.changefreq) == (b"history", 5.0, "daily")
    assert past.candidates_among([one, 5]) == [candidate]
    writer.commit(Plan(listed={one: (7.0, "daily", None, 9.0)}), 9.0)
    assert past.held([one])[one].announced_at == 9.0  # its date moved
    writer.commit(Plan(returned=[returned._replace(unconditional=1)]), 9.0)
    assert past.validators([one]) == {}


def test_plans_of_a_refresh_are_made_of_what_is_known(writer: Writer) -> None:
    plan = kept(url("/a"), b"a page", 1.0)
    keep(plan, url("/b"), b"another page", 2.0)
    sitemap = url("/sitemap.xml")
    plan.found.append(FoundUrl(key_of(sitemap), sitemap, "a.example", 0, 0, 0, 2, None, 1.0, "discovered", "", ""))
    writer.commit(plan, 2.0)
    past, lane = writer.past, writer.lane("a.example") or 0
    a, b = key_of(url("/a")), key_of(url("/b"))
    assert past.unread_sitemaps() == [(key_of(sitemap), "a.example")]
    assert [one.url for one in past.sitemaps()] == [sitemap]
    assert (past.pages_in_all(), past.bytes_of_all()) == (2, len(b"a page") + len(b"another page"))
    assert (past.visited_since(2.0), past.queued()) == ([b], set())
    writer.commit(Plan(settled=[Settled(a, "unchanged", "", "", 304, 5.0, None, -1)]), 5.0)
    assert past.taken_at_their_word(lane, 4.0) == [a]
    assert [copy.payload for copy in past.neighbours(lane, a, 5)] == [b"another page"]
    writer.commit(Plan(queued=[(a, "a.example", 0, 50.0), (b, "a.example", 0, 5.0)]), 6.0)
    past.hasten({a: 10.0, b: 10.0})
    assert leased(writer, now=9.0) == [url("/b")]
    assert leased(writer, now=10.0) == [url("/a"), url("/b")]
