"""Rules learned for URLs keep a crawl from fetching the same page twice, until they turn out false."""

import json
from pathlib import Path

import pytest

from folders import crawl, outcomes
from whimbrel.cli.main import main
from whimbrel.dedupe.dust import NO_RULES, Evidence, observe
from whimbrel.dedupe.rewrites import RewriteKind, RewriteRule
from whimbrel.flows.twins.dusting import TURN_SECONDS, Dusting
from whimbrel.flows.twins.file import all_rules
from whimbrel.flows.twins.near import Near
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, refused
from whimbrel.testing.web import Page, TinyWeb

WORDS = "harbour lantern meadow copper violet winter orchard signal marble quiet river amber".split()  # noqa: SIM905


def text(number: int) -> str:
    """Enough words of its own that two pages are never taken for one."""
    return " ".join(f"{word}{number * 31 + at}" for at, word in enumerate(WORDS * 8))


def product(number: int) -> str:
    return f"<title>Product {number}</title><h1>Product {number}</h1><p>{text(number)}</p>"


def catalogue(first: int, last: int, sessions: int) -> str:
    """Every product linked plainly and under session ids."""
    links = [f"/p?id={number}" for number in range(first, last)]
    links += [f"/p?id={number}&sid={session}" for number in range(first, last) for session in range(sessions)]
    return f"<title>{first}</title>" + "".join(f'<a href="{link}">{link}</a>' for link in links)


def shop(first: int, last: int, sessions: int = 2) -> dict[str, Page]:
    pages: dict[str, Page] = {"/": catalogue(first, last, sessions)}
    for number in range(first, last):
        for path in (f"/p?id={number}", *(f"/p?id={number}&sid={session}" for session in range(sessions))):
            pages[path] = product(number)
    return pages


def learned(folder: Path) -> list[str]:
    return [str(one.rule) for rules in all_rules(folder).values() for one in rules.learned]


def follow(folder: Path) -> None:
    near = Near(folder)
    try:
        near.catch_up(1e9)
    finally:
        near.close()


def test_what_was_learned_keeps_copies_from_being_fetched_and_is_given_up_when_it_is_undone(tmp_path: Path) -> None:
    with TinyWeb(shop(0, 12)) as web:
        crawl(tmp_path, web.url("/"))
        follow(tmp_path)
        believed = learned(tmp_path)
        assert any("drop parameter sid" in rule for rule in believed)
        web.pages |= {**shop(12, 40), "/more": shop(12, 40)["/"], "/": web.pages["/"]}
        web.log.clear()
        crawl(tmp_path, web.url("/more"))
        asked = [request.path for request in web.log if "/p?" in request.path]
        plain = {f"/p?id={number}" for number in range(12, 40)}
        assert plain <= set(asked)
        samples = set(asked) - plain
        assert len(samples) < 56 / 3, "of 56 copies only a sample is fetched, of a young rule's an eighth on average"
        found = outcomes(tmp_path)
        left_out = {path for path, outcome in found.items() if outcome == "refused:dust"}
        assert all("sid=" in path and path not in asked for path in left_out)
        assert len(left_out) + len(samples) == 56
        for rule in believed:
            assert main(["twins", "--undo", rule, "--repo", str(tmp_path)]) == 0
        crawl(tmp_path, web.url("/more"))
    assert "refused:dust" not in outcomes(tmp_path).values(), "nothing is thrown away that cannot be brought back"


def test_a_refresh_leaves_copies_out_says_how_many_and_tells_a_change_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with TinyWeb(shop(0, 12)) as web:
        crawl(tmp_path, web.url("/"))
        follow(tmp_path)
        web.log.clear()
        assert main(["refresh", "--all", "--json", "--repo", str(tmp_path)]) == 0
        sample = {request.path for request in web.log if "sid=" in request.path}
        changed = next(n for n in range(12) if sample.isdisjoint(f"/p?id={n}&sid={session}" for session in range(2)))
        for path in (f"/p?id={changed}", f"/p?id={changed}&sid=0", f"/p?id={changed}&sid=1"):
            web.pages[path] = product(changed).replace("<p>", "<p>Sold out.</p><p>")
        web.log.clear()
        capsys.readouterr()
        assert main(["refresh", "--all", "--json", "--repo", str(tmp_path)]) == 0
        said = json.loads(capsys.readouterr().out)
        asked = {request.path for request in web.log if "sid=" in request.path}
    assert asked == sample, "each week others"
    assert said["copies"] + len(asked) == 24
    assert len(asked) < 24 / 2, "a sample"
    assert main(["changes", "--json", "--repo", str(tmp_path)]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["url"].removeprefix(web.url("")) for one in told if one["what"] == "changed"] == [f"/p?id={changed}"]
    assert main(["refresh", "--all", "--repo", str(tmp_path)]) == 0
    assert "left out: copies of pages that are kept" in "".join(capsys.readouterr())


def listed(paths: list[str]) -> str:
    return "<title>List</title>" + "".join(f'<a href="{path}">{path}</a>' for path in paths)


def viewed(first: int, last: int, *, fuller: bool) -> dict[str, Page]:
    """Items that are the same in full view, or those of which it shows more."""
    pages: dict[str, Page] = {}
    for number in range(first, last):
        pages[f"/item/{number}"] = product(number)
        pages[f"/item/{number}?view=full"] = product(number) + (f"<p>{text(10_000 + number)}</p>" if fuller else "")
    return pages


def test_where_a_parameter_matters_for_some_pages_only_none_of_them_is_lost(tmp_path: Path) -> None:
    plain, fuller = viewed(0, 12, fuller=False), viewed(12, 72, fuller=True)
    with TinyWeb({"/": listed(list(plain)), **plain}) as web:
        crawl(tmp_path, web.url("/"))
        follow(tmp_path)
        assert any("drop parameter view" in rule for rule in learned(tmp_path))
        web.pages |= {**fuller, "/more": listed(list(fuller))}
        crawl(tmp_path, web.url("/more"))
        left_out = [path for path, outcome in outcomes(tmp_path).items() if outcome == "refused:dust"]
        assert left_out, "the rule was believed"
        follow(tmp_path)
        assert not learned(tmp_path), "and withdrawn by what was fetched all the same"
        crawl(tmp_path, web.url("/more"))
    found = outcomes(tmp_path)
    assert all(found[path] == "fetched" for path in fuller)


def test_a_page_whose_stand_in_is_missing_is_fetched_under_its_own_name(tmp_path: Path) -> None:
    plain, only = viewed(0, 24, fuller=False), [f"/item/{number}?view=full" for number in range(100, 110)]
    with TinyWeb({"/": listed(list(plain)), **plain}) as web:
        crawl(tmp_path, web.url("/"))
        follow(tmp_path)
        web.pages |= {path: product(at) for at, path in enumerate(only, 100)}
        web.pages["/more"] = listed(only)
        crawl(tmp_path, web.url("/more"))
        assert "refused:dust" in {outcomes(tmp_path)[path] for path in only}
        crawl(tmp_path, web.url("/more"))
    assert {outcomes(tmp_path)[path] for path in only} == {"fetched"}


def test_each_week_others_are_fetched_all_the_same_until_nothing_is_hidden() -> None:
    rules, drop = NO_RULES, RewriteRule("x.org", "/", RewriteKind.PARAMETER, "sid")
    for number in range(400):
        rules = observe(rules, Evidence(Url(f"http://x.org/shop/{number}?sid={number}"), drop, True))
    urls = {Url(f"http://x.org/shop/{number}?sid=9") for number in range(100)}
    weeks = [Dusting({"x.org": rules}, lambda url: ACCEPTED, week * TURN_SECONDS) for week in range(150)]
    drawn = [{url for url in urls if dusting.same_as(url) is None} for dusting in weeks]
    assert all(len(some) < 20 for some in drawn)
    assert set().union(*drawn) == urls


def test_nothing_is_fetched_instead_that_the_user_left_out(tmp_path: Path) -> None:
    plain, more = viewed(0, 24, fuller=False), viewed(24, 60, fuller=False)
    with TinyWeb({"/": listed(list(plain)), **plain}) as web:
        crawl(tmp_path, web.url("/"))
        follow(tmp_path)
        assert learned(tmp_path)
        web.pages |= {**more, "/more": listed([path for path in more if "view" in path])}
        crawl(tmp_path, web.url("/more"), include=("/more", "view=full"))
    found = outcomes(tmp_path)
    assert all(found[path] == "fetched" for path in more if "view" in path)
    assert not [path for path in more if "view" not in path and path in found]


def test_a_host_by_two_names_is_fetched_by_one() -> None:
    """Where both are in scope: what stands for a URL may be on the other host."""
    rules, alias = NO_RULES, RewriteRule("www.x.org", "/", RewriteKind.HOST, "www.x.org", "x.org")
    for number in range(100):
        rules = observe(rules, Evidence(Url(f"http://www.x.org/{number}"), alias, True, "redirect"))
    both = Dusting({"www.x.org": rules}, lambda url: ACCEPTED, 0.0)
    one = Dusting({"www.x.org": rules}, lambda url: refused("scope", "another host"), 0.0)
    urls = [Url(f"http://www.x.org/new/{number}") for number in range(50)]
    assert sum(both.same_as(url) is not None for url in urls) > 40
    assert both.same_as(urls[0]) is None or both.same_as(urls[0])[0] == "http://x.org/new/0"  # type: ignore[index]
    assert all(one.same_as(url) is None for url in urls)
