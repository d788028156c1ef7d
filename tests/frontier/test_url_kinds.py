"""Kinds of URLs by what is asked of them: fixed and free parts, samples, and words that were said before."""

from hashlib import sha1

from whimbrel.frontier.forms import FEW, SAMPLE, form_of
from whimbrel.frontier.kinds import UrlKinds
from whimbrel.frontier.novelty import sample
from whimbrel.frontier.subjects import Subjects
from whimbrel.records.url import Url

SITE = "http://wiki.example"


def url(path: str) -> Url:
    return Url(SITE + path)


def refuse(kinds: UrlKinds, path: str, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        kinds.visited(url(path.format(number)), False)


def test_a_form_is_the_host_the_steps_and_the_names() -> None:
    same = [form_of(url(path))[0] for path in ("/i.php?b=1&a=2", "/x.php?a=&b=")]
    assert same[0] == same[1]
    assert form_of(url("/i.php/Special:Links/A"))[2] == ["i.php", "Special", "Links", "A"]
    assert form_of(url("/"))[0] != form_of(url("/?q=1"))[0]


def test_a_kind_is_judged_after_a_sample_and_by_its_fixed_values_alone() -> None:
    kinds = UrlKinds()
    refuse(kinds, "/i.php?title=T{}&action=edit", SAMPLE - 1)
    assert kinds.judge(url("/i.php?title=New&action=edit")).accepted
    refuse(kinds, "/i.php?title=T{}&action=edit", 1, SAMPLE)
    verdict = kinds.judge(url("/i.php?title=New&action=edit"))
    assert (verdict.accepted, verdict.rule) == (False, "fruitless")
    assert "20 like it" in verdict.reason
    assert "wiki.example/i.php?action=edit&title=*" in verdict.reason
    assert kinds.judge(url("/i.php?title=New&action=view")).accepted
    assert kinds.judge(url("/i.php?title=New")).accepted
    assert kinds.judge(url("/other.php?title=New&action=edit")).accepted


def test_one_that_was_kept_or_needed_speaks_for_its_kind() -> None:
    for speaks in (lambda k: k.visited(url("/i.php?t=K"), True), lambda k: k.needed(url("/i.php?t=3"))):
        kinds = UrlKinds()
        refuse(kinds, "/i.php?t={}", SAMPLE)
        speaks(kinds)
        refuse(kinds, "/i.php?t={}", SAMPLE, 100)
        assert kinds.judge(url("/i.php?t=new")).accepted


def test_what_is_known_survives_a_restart() -> None:
    kinds, stored = UrlKinds(), {}
    refuse(kinds, "/i.php?t={}", SAMPLE)
    stored.update(kinds.drain())
    assert not UrlKinds(stored.get).judge(url("/i.php?t=new")).accepted


def commit(number: int) -> str:
    lines = " ".join(f"the {number} file says {number * 7 + place} things about {place}" for place in range(40))
    return f"menu summary refs log tree commit diff author somebody message number {number} {lines}"


def test_views_of_the_same_under_ever_new_ids_are_bounded_and_what_they_show_is_kept() -> None:
    kinds = UrlKinds()
    asked = {"commit": 0, "diff": 0}
    for number in range(200):
        for view in asked:
            page = url(f"/repo/{view}/?id={sha1(str(number).encode()).hexdigest()}")
            if kinds.judge(page).accepted:
                asked[view] += 1
                kinds.visited(page, True, sample(commit(number)))
    assert asked["commit"] == 200
    assert asked["diff"] <= SAMPLE + 3


def room(kinds: UrlKinds, path: str) -> int | None:
    return kinds.room(url(path), kinds.trial(url(path)))


def test_one_goes_out_first_and_a_few_at_once_until_one_is_kept() -> None:
    kinds = UrlKinds()
    assert room(kinds, "/i.php?t=1") == 1
    kinds.missed(url("/i.php?t=1"))
    assert room(kinds, "/i.php?t=1") == 2, "what is missing tells nothing"
    refuse(kinds, "/i.php?t={}", 2)
    assert kinds.trial(url("/i.php?t=8")) == kinds.trial(url("/i.php?t=9")), "not each a kind of its own"
    refuse(kinds, "/i.php?t={}", 6, 10)
    assert room(kinds, "/i.php?t=3") == FEW
    refuse(kinds, "/i.php?t={}", 9, 20)
    assert room(kinds, "/i.php?t=3") == SAMPLE - 17, "no more than are needed"
    kinds.visited(url("/i.php?t=99"), True)
    assert room(kinds, "/i.php?t=3") is None


def test_kinds_under_way_are_told_apart_as_soon_as_there_are_some() -> None:
    kinds = UrlKinds()
    for number in range(6):
        for action in ("edit", "info"):
            kinds.visited(url(f"/i.php?title=T{number}&action={action}"), False)
    edit, info = (kinds.trial(url(f"/i.php?title=New&action={action}")) for action in ("edit", "info"))
    assert edit != info
    assert kinds.room(url("/i.php?title=New&action=edit"), edit) == FEW


def test_kinds_that_agree_are_judged_together() -> None:
    actions = [f"act{number}" for number in range(9)]

    def asked_for(leads_on: bool, late: bool = False) -> int:
        """Of one of the kinds, until it is given up."""
        kinds = UrlKinds()
        for number in range(100):
            kinds.judge(url(f"/i.php?title=T{number}&action={actions[0]}"))  # which parts are free is known at once
        if late:
            refuse(kinds, "/i.php?title=T{}&action=view", 6)
            kinds.visited(url("/i.php?title=T7&action=view"), True)
        for number in range(100):
            for action in actions:
                page = url(f"/i.php?title=T{number}&action={action}")
                if not kinds.judge(page).accepted:
                    return number
                kinds.visited(page, False, leads_on=leads_on)
        return 100

    assert asked_for(leads_on=False) == 8
    assert asked_for(leads_on=True) == SAMPLE, "what leads on may lead to a page that nothing else leads to"
    assert 8 < asked_for(leads_on=False, late=True) < SAMPLE, "a kind that was not of one piece makes all doubtful"


def test_fewer_tell_where_a_kind_is_about_pages_that_are_kept() -> None:
    def asked_for(about: str, pages: int = 12, kinds_of_views: int = 9, late: int = 0) -> int:
        """Of each of the kinds, until the first is given up."""
        kinds, actions = UrlKinds(), [f"act{number}" for number in range(kinds_of_views)]
        mixed = [f"mix{number}" for number in range(late)]
        for number in range(pages):
            kinds.visited(url(f"/wiki/T{number}"), True)
            for action in (*actions, *mixed):
                kinds.judge(url(f"/i.php?title={about}{number}&{action}=1"))  # it is linked to
        for action in mixed:
            for number in range(3):
                kinds.visited(url(f"/i.php?title=T{number}&{action}=1"), number == 2)
        for number in range(pages):
            for action in actions:
                page = url(f"/i.php?title={about}{number}&{action}=1")
                if not kinds.judge(page).accepted:
                    assert kinds.judge(url(f"/i.php?title=Elsewhere&{action}=1")).accepted, "not kept, so not sure"
                    assert kinds.judge(url(f"/i.php?title={about}{number}&other=1")).accepted, "never tried"
                    return number
                kinds.visited(page, False)
        return pages

    assert asked_for("T") == asked_for("Talk:T") == 2
    assert asked_for("Other") == 12, "no part is known to name pages, so nothing is known of kinds"
    assert asked_for("T", pages=60, kinds_of_views=60) == 2
    assert asked_for("T", pages=60, kinds_of_views=60, late=3) == 3, "some not of one piece make all doubtful"


def asked_in_all(pages: int, views: int) -> int:
    """How many views are asked for on a site where all of them are shut."""
    kinds, asked = UrlKinds(), 0
    for number in range(pages):
        kinds.visited(url(f"/wiki/T{number}"), True)
        for view in range(views):
            kinds.judge(url(f"/i.php?title=T{number}&a{view}=1"))  # it is linked to
    for number in range(pages):
        for view in range(views):
            page = url(f"/i.php?title=T{number}&a{view}=1")
            if kinds.judge(page).accepted:
                kinds.visited(page, False)
                asked += 1
    return asked


def test_less_than_a_sample_is_enough_only_where_pages_would_cost_too_much() -> None:
    assert asked_in_all(pages=80, views=5) == 5 * SAMPLE
    assert asked_in_all(pages=120, views=10) == 10 * SAMPLE
    for pages, views in ((21, 9), (43, 9), (61, 9), (61, 20)):
        assert 2 * pages - views <= asked_in_all(pages, views) <= 2 * pages, "what they may cost is spent, no more"
    assert asked_in_all(pages=12, views=20) == 2 * 20, "two of each at least"


def test_a_kind_with_something_in_one_of_five_is_found_out_on_a_site_that_can_bear_it() -> None:
    """Sixteen in vain before the first: a shop whose tabs of reviews are shut where there are none."""
    kinds = UrlKinds()
    for number in range(60):
        kinds.visited(url(f"/product?id={number}"), True)
    for number in range(60):
        for view in ("cart", "compare", "wish", "mail", "reviews"):
            page = url(f"/{view}?id={number}")
            if kinds.judge(page).accepted:
                kinds.visited(page, view == "reviews" and number % 5 == 1 and number > 15)
    assert kinds.judge(url("/reviews?id=99")).accepted
    assert not kinds.judge(url("/cart?id=59")).accepted


def test_a_number_names_a_page_only_under_its_own_name() -> None:
    def left_out(name: str) -> bool:
        kinds = UrlKinds()
        for number in range(12):
            kinds.visited(url(f"/read.php?t={number}"), True)
        for number in range(FEW):
            for act in range(9):
                kinds.visited(url(f"/post.php?{name}={number}&do=d{act}"), False)
        return not kinds.judge(url(f"/post.php?{name}=9&do=d3")).accepted

    assert left_out("t")
    assert not left_out("u")


def test_a_space_in_a_name_is_written_in_several_ways() -> None:
    subjects = Subjects()
    subjects.kept(["/1"], ["Grey_heron"])
    for written in ("Grey_heron", "Grey+heron", "Grey%20heron", "Talk:Grey+heron"):
        assert subjects.has("returnto", written)
    assert not subjects.has("returnto", "Greyheron")


def test_the_number_of_a_version_is_no_kind_of_view() -> None:
    def asked(value: str) -> int:
        kinds, asked = UrlKinds(), 0
        for number in range(12):
            kinds.visited(url(f"/wiki/T{number}"), True)
            for view in ("edit", "info", "history"):
                kinds.visited(url(f"/i.php?title=T{number}&action={view}"), False)
        views = [url(f"/i.php?title=T{number}&with={value.format(number)}") for number in range(12)]
        for view in views:
            kinds.judge(view)  # it is linked to
        for view in views:
            if kinds.judge(view).accepted:
                kinds.visited(view, False)
                asked += 1
        return asked

    assert asked("{}") < FEW
    assert asked("way{}") == 12, "each may be a view of another kind"


def test_what_may_be_followed_is_tried_by_itself_although_it_is_about_a_kept_page() -> None:
    kinds = UrlKinds()
    for number in range(30):
        kinds.visited(url(f"/wiki/T{number}"), True)
    for number in range(SAMPLE):
        for act in range(9):
            page = url(f"/i.php?title=T{number}&action=a{act}")
            assert kinds.judge(page).accepted
            kinds.visited(page, False, leads_on=True)
    assert not kinds.judge(url("/i.php?title=T25&action=a3")).accepted


def test_that_a_part_names_pages_survives_a_restart() -> None:
    kinds, stored = UrlKinds(), {}
    for number in range(FEW):
        kinds.visited(url(f"/wiki/T{number}"), True)
        kinds.visited(url(f"/i.php?title=T{number}&action=edit"), False)
    stored.update(kinds.drain())
    (state,) = (state for state in stored.values() if "title" in state.names)
    assert [state.names[at] for at in state.subjects] == ["title"]
    again = UrlKinds(stored.get)
    refuse(again, "/i.php?title=N{}&action=edit", SAMPLE - FEW)
    assert not again.judge(url("/i.php?title=New&action=edit")).accepted, "what was asked for before counts"


def test_what_one_kind_brings_late_makes_the_others_due_again() -> None:
    kinds = UrlKinds()
    for number in range(SAMPLE):
        for action in range(9):
            kinds.visited(url(f"/i.php?title=T{number}&action=a{action}"), False)
    assert not kinds.judge(url("/i.php?title=New&action=a3")).accepted
    kinds.visited(url("/i.php?title=New&action=a3"), True)
    assert kinds.redeemed
    assert kinds.judge(url("/i.php?title=Newer&action=a3")).accepted


def ident(number: int) -> str:
    return sha1(str(number).encode()).hexdigest()


def test_what_a_list_names_one_by_one_is_asked_for_however_alike_it_is() -> None:
    kinds = UrlKinds()
    words = sample(commit(1))
    for number in range(60):
        for view in ("commit", "diff"):
            kinds.visited(url(f"/repo/{view}/?id={ident(number)}"), True, words)
    lone, entry = url(f"/repo/commit/?id={ident(100)}"), url(f"/repo/commit/?id={ident(101)}")
    assert kinds.judge(lone).rule == kinds.judge(entry).rule == "repeated"
    views = [url(f"/repo/{view}/?id={ident(n)}") for n in range(101, 110) for view in ("commit", "diff")]
    kinds.listed(views)
    assert kinds.redeemed, "it was left out before the list was read"
    assert kinds.judge(entry).accepted
    assert not kinds.judge(lone).accepted
    assert not kinds.judge(views[1]).accepted, "an entry is named by its first link"
    kinds.listed([url(f"/repo/commit/?id={ident(200)}"), url(f"/repo/commit/?id={ident(201)}")])
    assert not kinds.judge(url(f"/repo/commit/?id={ident(200)}")).accepted, "a page and the one before it are no list"
    kinds.listed([url(f"/shop/?sid={ident(n)}&id={ident(n)}") for n in range(300, 320)])
    assert not kinds.is_due(url(f"/shop/?sid={ident(300)}&id={ident(300)}"))
