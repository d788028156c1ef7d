"""Kinds of URLs of which a sample brought nothing are left out, with the reason; no page is lost by it."""

import re
from hashlib import sha1
from pathlib import Path

import pytest

from folders import consistent, crawl, outcomes, rows
from whimbrel.testing.web import Page, Reply, TinyWeb

PAGES = 90
CLOSED = '<meta name="robots" content="noindex,nofollow">'
ASIDE = '<meta name="robots" content="noindex">'


def words(number: int) -> str:
    return " ".join(f"word{number}x{place}" for place in range(30))


def article(number: int, *links: str) -> str:
    ways = [f"/wiki?title=A{number}&action={verb}" for verb in ("edit", "history", "info")]
    items = "".join(f'<a href="{link}">l</a>' for link in [*links, *ways, f"/wiki/Special:Links/A{number}"])
    return f"<title>A{number}</title><p>{words(number)}</p>{items}"


def wiki(hidden: bool = False) -> dict[str, Page]:
    """Articles in a list, each with four pages about it that ask not to be found. With `hidden`, one in five of the
    pages of links is the only way to an article."""
    listed = "".join(f'<a href="/wiki/A{number}">{number}</a>' for number in range(PAGES))
    pages: dict[str, Page] = {"/": f"<title>Main</title><p>{words(999)}</p>{listed}"}
    for number in range(PAGES):
        pages[f"/wiki/A{number}"] = article(number, f"/wiki/A{(number + 1) % PAGES}")
        for verb in ("edit", "history", "info"):
            pages[f"/wiki?title=A{number}&action={verb}"] = f"{CLOSED}<p>{verb} {number}"
        found = f'<a href="/wiki/H{number}">h</a>' if hidden and number % 5 == 2 else ""
        known = f'<a href="/wiki/A{(number + 5) % PAGES}">a</a>'
        pages[f"/wiki/Special:Links/A{number}"] = f"{ASIDE}<p>to {number}</p>{known}{found}"
        if found:
            pages[f"/wiki/H{number}"] = f"<title>H{number}</title><p>{words(1000 + number)}</p>"
    return pages


def kept(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome == "fetched"}


def test_what_is_always_refused_is_asked_for_as_a_sample(tmp_path: Path) -> None:
    with TinyWeb(wiki()) as web:
        crawl(tmp_path / "all", web.url("/"), exhaustive=True)
        every = len(web.log)
        crawl(tmp_path / "some", web.url("/"))
        asked = len(web.log) - every
    assert kept(tmp_path / "some") == kept(tmp_path / "all")
    assert every > 5 * PAGES
    assert asked <= 3 * PAGES
    consistent(tmp_path / "some")
    reasons = [
        str(why) for (why,) in rows(tmp_path / "some", "SELECT DISTINCT reason FROM url WHERE rule = 'fruitless'")
    ]
    assert any("wiki?action=edit&title=*" in reason for reason in reasons)
    assert all("none led to a page not known otherwise" in reason for reason in reasons)


def test_a_page_that_is_not_kept_but_the_only_way_to_one_keeps_its_kind_worth_it(tmp_path: Path) -> None:
    with TinyWeb(wiki(hidden=True)) as web:
        crawl(tmp_path / "all", web.url("/"), exhaustive=True)
        crawl(tmp_path / "some", web.url("/"))
    assert kept(tmp_path / "some") == kept(tmp_path / "all")
    left_out = {path for path, outcome in outcomes(tmp_path / "some").items() if outcome == "refused:fruitless"}
    assert left_out
    assert not any("Special" in path for path in left_out)


def test_the_user_can_have_everything_after_all(tmp_path: Path) -> None:
    with TinyWeb(wiki()) as web:
        crawl(tmp_path, web.url("/"))
        assert "refused:fruitless" in outcomes(tmp_path).values()
        crawl(tmp_path, web.url("/"), exhaustive=True)
    assert "refused:fruitless" not in outcomes(tmp_path).values()


def test_two_migrants_lose_nothing_either(tmp_path: Path) -> None:
    with TinyWeb(wiki()) as web:
        crawl(tmp_path / "one", web.url("/"))
        crawl(tmp_path / "two", web.url("/"), migrants=2)
    assert kept(tmp_path / "two") == kept(tmp_path / "one")
    consistent(tmp_path / "two")


def test_missing_pages_teach_nothing(tmp_path: Path) -> None:
    pages: dict[str, Page] = {"/": "".join(f'<a href="/gone/{number}">g</a>' for number in range(40))}
    pages["/gone/39"] = Reply(b"<p>here after all")
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"))
    assert outcomes(tmp_path)["/gone/39"] == "fetched"


def test_a_site_that_is_asked_page_by_page_costs_no_more(tmp_path: Path) -> None:
    """What comes home one by one teaches before the next thousand are handed out."""
    with TinyWeb(wiki()) as web:
        crawl(tmp_path, web.url("/"), delay_seconds=0.01)
        assert len(web.log) <= 3 * PAGES
    assert len(kept(tmp_path)) == PAGES + 1


def small_wiki(size: int, named: str) -> dict[str, Page]:
    """Articles with nine closed views each, and feeds that the first page names."""
    verbs, articles = [f"verb{number}" for number in range(9)], range(size)
    listed = "".join(f'<a href="/wiki/A{number}">{number}</a>' for number in articles)
    pages: dict[str, Page] = {"/": f"<title>Main</title>{named}<p>{words(999)}</p>{listed}"}
    for number in articles:
        about = [f"/wiki?title=A{number}&action={verb}" for verb in verbs]
        links = "".join(f'<a href="{link}">l</a>' for link in about)
        pages[f"/wiki/A{number}"] = f"<title>A{number}</title><p>{words(number)}</p>{links}"
        pages |= {link: f"{CLOSED}<p>{link}" for link in about}
    return pages


def feed_named(path: str) -> str:
    return f'<link rel="alternate" type="application/rss+xml" href="{path}">'


@pytest.mark.parametrize("size", [20, 45])
@pytest.mark.parametrize("feeds", [0, 12])
def test_kinds_that_agree_keep_a_small_wiki_cheap(tmp_path: Path, size: int, feeds: int) -> None:
    """Nine kinds about 45 articles would cost 180 requests, were each tried twenty times. Feeds that are read for what
    they list are requests like any other."""
    with TinyWeb(small_wiki(size, "".join(feed_named(f"/feed{number}") for number in range(feeds)))) as web:
        crawl(tmp_path, web.url("/"))
        assert len(web.log) <= 3 * size
    assert kept(tmp_path) == {"/", *(f"/wiki/A{number}" for number in range(size))}
    reasons = [str(why) for (why,) in rows(tmp_path, "SELECT DISTINCT reason FROM url WHERE rule = 'fruitless'")]
    assert len(reasons) == 9, "one a kind"
    evidence = re.compile(
        r"\d+ like it were asked for: none could be kept, none led to a page not known otherwise, "
        r"and 8 other kinds of this site are like that "
    )
    assert [reason for reason in reasons if not evidence.match(reason)] == []


@pytest.mark.parametrize("size", [30, 45, 60])
def test_what_comes_last_is_paid_for_before_more_is_asked_for_than_need_be(tmp_path: Path, size: int) -> None:
    """The feed is read last, leads elsewhere, and names differences that ask not to be found: nobody knows of them
    while views are tried."""
    differences = [f"/differences/of/{name}/shown" for name in "abcdefghijkl"]
    pages = small_wiki(size, feed_named("/news")) | {path: f"{CLOSED}<p>{path}" for path in differences}
    pages["/news"] = Reply(status=302, headers=(("Location", "/changes.rss"),))
    with TinyWeb(pages) as web:
        items = "".join(f"<item><link>{web.url(path)}</link></item>" for path in differences)
        feed = f'<rss version="2.0"><channel><title>Changes</title>{items}</channel></rss>'
        web.pages["/changes.rss"] = Reply(feed.encode(), content_type="application/rss+xml")
        crawl(tmp_path, web.url("/"))
        asked = [request.path for request in web.log]
    assert set(differences) <= set(asked), "of so few nothing is known but what each says itself"
    assert 2.5 * (size + 1) < len(asked) <= 3 * (size + 1)
    assert kept(tmp_path) == {"/", "/changes.rss", *(f"/wiki/A{number}" for number in range(size))}


@pytest.mark.parametrize("views", [1, 5])
def test_a_shop_whose_pages_are_named_by_numbers_loses_none(tmp_path: Path, views: int) -> None:
    """Every seventh product has a page of reviews, the others say that theirs is not worth finding; what is done with
    a product is shut."""
    goods = range(40)
    listed = "".join(f'<a href="/shop?id={number}">{number}</a>' for number in goods)
    pages: dict[str, Page] = {"/": f"<title>Shop</title><p>{words(999)}</p>{listed}"}
    for number in goods:
        ways = [f"/do{view}?id={number}" for view in range(views)]
        pages |= {way: f"{CLOSED}<p>{way}" for way in ways}
        reviews = f"/shop?id={number}&amp;tab=reviews"
        links = "".join(f'<a href="{way}">l</a>' for way in [*ways, reviews])
        pages[f"/shop?id={number}"] = f"<title>A{number}</title><p>{words(number)}</p>{links}"
        own = f"<p>{words(1000 + number)}</p>" if number % 7 == 3 else ASIDE
        pages[f"/shop?id={number}&tab=reviews"] = f'{own}<a href="/shop?id={number}">back</a>'
    with TinyWeb(pages) as web:
        crawl(tmp_path / "all", web.url("/"), exhaustive=True)
        crawl(tmp_path / "some", web.url("/"))
    assert len(kept(tmp_path / "all")) == 1 + len(goods) + len(goods) // 7 + 1
    assert kept(tmp_path / "some") == kept(tmp_path / "all")


def test_what_a_log_names_is_kept_although_it_differs_in_a_number_alone(tmp_path: Path) -> None:
    def ident(number: int) -> str:
        return sha1(str(number).encode()).hexdigest()

    commits, views = range(80), ("commit", "diff", "patch")
    named = "".join(f'<a href="/repo/commit/?id={ident(number)}">Revise part {number % 6}</a>' for number in commits)
    pages: dict[str, Page] = {"/": "<p>Repositories <a href=/repo/log/>log</a>", "/repo/log/": f"<p>Log</p>{named}"}
    for number in commits:
        ways = "".join(f'<a href="/repo/{view}/?id={ident(number)}">{view}</a>' for view in views)
        lines = "".join(f"<p>line {line} of part {number % 6}, revision {number // 6}</p>" for line in range(12))
        for view in views:
            pages[f"/repo/{view}/?id={ident(number)}"] = (
                f"<title>{view}</title>{ways}{lines}<p>as a {view} {number}</p>"
            )
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"))
        asked = len(web.log)
    assert {f"/repo/commit/?id={ident(number)}" for number in commits} <= kept(tmp_path)
    assert asked < 2 * len(commits), "the other views of each repeat it"
