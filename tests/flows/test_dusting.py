"""Rules learned for URLs keep a crawl from fetching the same page twice, until they turn out false."""

from pathlib import Path

from folders import crawl, outcomes
from whimbrel.cli.main import main
from whimbrel.flows.near import Near
from whimbrel.flows.near_views import all_rules
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
        learned = [str(one.rule) for rules in all_rules(tmp_path).values() for one in rules.learned]
        assert any("drop parameter sid" in rule for rule in learned)
        web.pages |= {**shop(12, 40), "/more": shop(12, 40)["/"], "/": web.pages["/"]}
        web.log.clear()
        crawl(tmp_path, web.url("/more"))
        asked = [request.path for request in web.log if "/p?" in request.path]
        plain = {f"/p?id={number}" for number in range(12, 40)}
        assert plain <= set(asked)
        samples = set(asked) - plain
        assert len(samples) < 10, "of 56 copies only a sample is fetched"
        found = outcomes(tmp_path)
        left_out = {path for path, outcome in found.items() if outcome == "refused:dust"}
        assert all("sid=" in path and path not in asked for path in left_out)
        assert len(left_out) + len(samples) == 56
        for rule in learned:
            assert main(["twins", "--undo", rule, "--repo", str(tmp_path)]) == 0
        crawl(tmp_path, web.url("/more"))
    assert "refused:dust" not in outcomes(tmp_path).values(), "nothing is thrown away that cannot be brought back"
