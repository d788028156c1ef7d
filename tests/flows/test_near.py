"""Following a folder: near-twins linked, rules learned and withdrawn, nothing done twice, nothing lost by a kill."""

import asyncio
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from grown_folder import Served, _judge, grow
from whimbrel.dedupe.dust import RuleState, rewrite
from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.twins.file import NAME, TwinsFile
from whimbrel.flows.twins.near import Near, SketchingDone, all_rules, near_twins, rules_of, undo_rule
from whimbrel.flows.visit.crawl import visit
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.repository.contract import FolderBusy, Lease
from whimbrel.repository.embedded.erase import erase
from whimbrel.repository.embedded.store import Store
from whimbrel.repository.upkeep import ForgetTarget
from whimbrel.repository.views import Site
from whimbrel.testing.clock import JumpingClock
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver

A = "http://a.example"
WORDS = [f"{a}{b}{c}" for a in ("ka", "lo", "mi", "ru") for b in ("ra", "len", "dor", "tak") for c in ("s", "n", "vel")]


def text(seed: int, words: int = 150) -> list[str]:
    return Random(seed).choices(WORDS, k=words)


def article(words: list[str], links: list[str] = [], *, title: str = "", head: str = "") -> Served:  # noqa: B006
    paragraphs = "".join(f"<p>{' '.join(words[at : at + 25])}</p>" for at in range(0, len(words), 25))
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return Served(
        f"<!doctype html><html lang=en><title>{title}</title>{head}<nav>{anchors}</nav>"
        f"<main><article>{paragraphs}</article></main>".encode()
    )


def changed(words: list[str], *places: int) -> list[str]:
    return [f"other{at}" if at in places else word for at, word in enumerate(words)]


def news() -> dict[str, Served]:
    """An article, its print view, a mirror with a word edited, and others that only have the site in common."""
    links = ["/story", "/print/story", "/copy", "/else", "/short/1", "/short/2", "/price/1", "/price/2"]
    story = text(1)
    return {
        f"{A}/": article(text(100), links, title="Start"),
        f"{A}/story": article(story, title="Story"),
        f"{A}/print/story": article([*changed(story, 70), "printed", "view"], title="Story (print view)"),
        f"{A}/copy": article(changed(story, 20, 90), title="Story"),
        f"{A}/else": article(text(2), title="Another"),
        f"{A}/short/1": article(text(3, 20), title="Note"),
        f"{A}/short/2": article(changed(text(3, 20), 4), title="Note"),
        f"{A}/price/1": article([*text(4), "EUR", "19.90"], title="Item"),
        f"{A}/price/2": article([*text(4), "EUR", "24.90"], title="Item"),
    }


def follow(folder: Path) -> SketchingDone:
    with Near(folder) as follower:
        caught = follower.catch_up(1.0)
        assert follower.pending() == 0
        return caught


def twins(folder: Path) -> dict[str, str]:
    return {twin.url.removeprefix(A): twin.survivor.removeprefix(A) for twin in near_twins(folder)}


def revisit(folder: Path, world: dict[str, Served], *urls: str) -> None:
    """Visits pages again, as they are served now."""
    from grown_folder import Fetcher

    clock, store = JumpingClock(), Store(folder)
    tools = Tools(
        fetcher=Fetcher(world), resolver=LinkResolver(), cache=UrlCache(1000), judge=_judge, rewrite=None, now=clock,
        agent="whimbrel", assets=True, retries=0, retry_seconds=lambda url, attempt: 1.0,
        busy=lambda url, wait: 1.0, at_work_on=lambda key: None,
    )  # fmt: skip
    try:
        for url in urls:
            known = store.known([key_of(Url(url))])[key_of(Url(url))]
            task = Task(known.key, known.url, known.depth, known.hops, 0, False)
            gathering = Gathering(store, Terms(None, None, Order("breadth")), Watch(TrapSettings()), clock())
            done = asyncio.run(visit(task, tools))
            store.commit(gathering.take([(done, Lease(0, 0, -1, known.key, 0))]).plan, clock())
    finally:
        store.close()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_near_twins_are_linked_to_the_survivor_whatever_came_first(tmp_path: Path, seed: int) -> None:
    grow(tmp_path / "f", news(), seed=seed)
    follow(tmp_path / "f")
    assert twins(tmp_path / "f") == {"/print/story": "/copy", "/story": "/copy"}
    for twin in near_twins(tmp_path / "f"):
        assert 0.6 <= twin.similarity < 1
        assert twin.reason == "nearly the same words"


@pytest.mark.parametrize("seed", [1, 2])
def test_short_pages_are_near_twins_under_one_title_only(tmp_path: Path, seed: int) -> None:
    """The same notes in two releases, on a site whose frame is most of every page."""
    frame = " ".join(text(50, 150))

    def note(name: str, release: str, said: int) -> Served:
        return Served(
            f"<!doctype html><html lang=en><title>{name} - Manual {release}</title><nav>{frame}</nav>"
            f"<main><article><p>{' '.join(text(said, 20))}</p></article></main><footer>{release}</footer>".encode()
        )

    names = {"drain": 60, "sink": 61, "valve": 62, "pump": 63}
    pages = {
        f"{A}/{release}/{name}": note(name, release, said) for release in ("1.0", "1.1") for name, said in names.items()
    }
    pages[f"{A}/1.1/hose"] = note("hose", "1.1", names["drain"])
    links = [url.removeprefix(A) for url in pages]
    grow(tmp_path / "f", {f"{A}/": article(text(100), links, title="Start"), **pages}, seed=seed)
    follow(tmp_path / "f")
    assert twins(tmp_path / "f") == {f"/1.1/{name}": f"/1.0/{name}" for name in names}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_was_refused_before_the_template_was_known_is_looked_at_again(tmp_path: Path, seed: int) -> None:
    """Two releases come mixed, and their titles tell them apart until these are known to be the site's."""
    pages = {
        f"{A}/{release}/{at}": article(
            changed(text(200 + at), *edited), title=f"{text(300 + at, 1)[0]}{at} - Manual {release}-Debian"
        )
        for at in range(12)
        for release, edited in (("2.0-1~deb12u1", []), ("2.0-1~deb12u3", [70]))
    }
    links = [url.removeprefix(A) for url in pages]
    grow(tmp_path / "f", {f"{A}/": article(text(100), links, title="Start"), **pages}, seed=seed)
    follow(tmp_path / "f")
    assert len(twins(tmp_path / "f")) == 12


def test_following_again_does_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    grow(folder, news())
    assert follow(folder).pages == 9
    before = twins(folder)
    assert follow(folder) == SketchingDone()
    with sqlite3.connect(folder / NAME) as database:
        database.execute("UPDATE meta SET value = 0 WHERE name = 'seq'")
    database.close()
    again = follow(folder)
    assert (again.twins, again.evidence) == (0, 0)
    assert twins(folder) == before


DOOMED = """
import os, sys
from pathlib import Path
from whimbrel.flows.twins import near

class Doomed(near.Near):
    left = int(sys.argv[2])

    def _twin(self, *page):
        self.left -= 1
        if self.left < 0:
            os._exit(9)
        return super()._twin(*page)

Doomed(Path(sys.argv[1])).catch_up(1.0, batch=2)
"""


def test_a_kill_in_the_midst_of_a_batch_loses_nothing(tmp_path: Path) -> None:
    grow(tmp_path / "f", news())
    grow(tmp_path / "g", news())
    follow(tmp_path / "g")
    for pages in (0, 1, 3):
        ended = subprocess.run([sys.executable, "-c", DOOMED, str(tmp_path / "f"), str(pages)], timeout=300)
        assert ended.returncode == 9
    with Near(tmp_path / "f") as follower:
        assert 0 < follower.pending() < 9
    follow(tmp_path / "f")
    assert twins(tmp_path / "f") == twins(tmp_path / "g")


def test_a_file_with_sketches_of_another_kind_is_made_anew_but_for_what_was_learned(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    grow(folder, shop())
    follow(folder)
    before, rules = twins(folder), all_rules(folder)
    with sqlite3.connect(folder / NAME) as database:
        database.execute("UPDATE page SET sketch = zeroblob(192), bands = zeroblob(64)")
        database.execute("PRAGMA user_version = 1")
    database.close()
    assert follow(folder).pages > 0
    assert (twins(folder), all_rules(folder)) == (before, rules)


def test_versions_of_a_page_are_not_taken_for_a_template(tmp_path: Path) -> None:
    folder, world = tmp_path / "f", news()
    grow(folder, world)
    for version in range(10):
        world[f"{A}/else"] = article([*text(2), f"v{version}"], title="Another")
        revisit(folder, world, f"{A}/else")
        follow(folder)
    world[f"{A}/copy"] = article([*text(2), "edited", "slightly"], title="Another")
    revisit(folder, world, f"{A}/copy")
    follow(folder)
    assert twins(folder)["/else"] == "/copy"


def test_one_writer(tmp_path: Path) -> None:
    grow(tmp_path / "f", news())
    with Near(tmp_path / "f"), pytest.raises(FolderBusy, match="another process is looking for twins"):
        Near(tmp_path / "f")
    follow(tmp_path / "f")


def test_a_page_that_was_rewritten_is_no_twin_any_more(tmp_path: Path) -> None:
    folder, world = tmp_path / "f", news()
    grow(folder, world)
    follow(folder)
    world[f"{A}/copy"] = article(text(77), title="Story")
    revisit(folder, world, f"{A}/copy")
    assert follow(folder).pages == 1
    assert twins(folder) == {"/story": "/print/story"} or twins(folder) == {"/print/story": "/story"}
    world[f"{A}/copy"] = article(changed(text(1), 33), title="Story")
    revisit(folder, world, f"{A}/copy")
    follow(folder)
    assert twins(folder) == {"/print/story": "/copy", "/story": "/copy"}


@pytest.mark.parametrize("apart", ["/copy", "/story", "/print/story"])
def test_what_the_user_took_apart_stays_apart(tmp_path: Path, apart: str) -> None:
    folder, world = tmp_path / "f", news()
    grow(folder, world)
    follow(folder)
    with Near(folder) as follower:
        assert follower.set_apart(key_of(Url(A + apart)), 2.0)
        assert not follower.set_apart(key_of(Url(f"{A}/else")), 2.0)
    rest = {"/copy", "/story", "/print/story"} - {apart}
    assert {*twins(folder).items()} in ({(one, (rest - {one}).pop())} for one in rest)
    world[A + apart] = article(changed(text(1), 33), title="Story")
    revisit(folder, world, A + apart)
    follow(folder)
    assert apart not in {*twins(folder), *twins(folder).values()}
    assert len(twins(folder)) == 1


def test_what_is_forgotten_is_forgotten_here_too(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    grow(folder, shop())
    follow(folder)
    assert rules_of(folder, "a.example").learned
    erase(folder, ForgetTarget(site=Site("a.example")), 5.0, "test")
    follow(folder)
    assert all_rules(folder) == {}
    with sqlite3.connect(folder / NAME) as database:
        for table in ("page", "variant", "evidence", "template"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    database.close()


def shop(*, sessions: int = 8, products: int = 8) -> dict[str, Served]:
    """Products, each linked with two session numbers, default documents, old addresses, and canonical links."""
    links, world = [], dict[str, Served]()
    for number in range(products):
        words = text(1000 + number)
        for place in ("shop", "parts"):
            for session in (1, 2):
                path = f"/{place}/p?id={number}&sid={session * 1000 + number}"
                links.append(path)
                world[A + path] = article([*words, place], title=f"Product {number} {place}")
        folder = f"/help/{number}/"
        world[A + folder] = article(text(2000 + number), [f"{folder}index.html"], title=f"Help {number}")
        world[f"{A}{folder}index.html"] = world[A + folder]
        world[f"{A}/old/{number}"] = Served(b"", 301, location=f"/help/{number}/")
        head = f'<link rel=canonical href="/doc/{number}">'
        world[f"{A}/doc/print/{number}"] = article(text(3000 + number), title=f"Doc {number}", head=head)
        links += [folder, f"/old/{number}", f"/doc/print/{number}"]
    world[f"{A}/"] = article(text(100), links, title="Start")
    return world


def names(folder: Path) -> set[str]:
    return {str(one.rule) for one in rules_of(folder, "a.example").learned if one.rule.below == "/"}


@pytest.mark.parametrize("seed", [1, 2])
def test_rules_are_learned_from_twins_canonical_links_and_redirects(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "f"
    grow(folder, shop(), seed=seed)
    caught = follow(folder)
    assert caught.evidence > 0
    assert "a.example: drop parameter sid" in names(folder)
    rules = rules_of(folder, "a.example")
    assert rewrite(rules, Url(f"{A}/shop/p?id=99&sid=7"))[0] == f"{A}/shop/p?id=99"
    assert rewrite(rules, Url(f"{A}/help/99/index.html"))[0] == f"{A}/help/99/"
    assert rewrite(rules, Url(f"{A}/doc/print/99"))[0] == f"{A}/doc/99"
    assert rewrite(rules, Url(f"{A}/old/99"))[0] == f"{A}/help/99/" or rewrite(rules, Url(f"{A}/old/99"))[1] is None
    assert not [one for one in rules.learned if one.rule.what == "id"]


def test_a_rule_that_turns_false_is_withdrawn_by_what_is_fetched_all_the_same(tmp_path: Path) -> None:
    folder, world = tmp_path / "f", shop()
    grow(folder, world)
    follow(folder)
    assert "a.example: drop parameter sid" in names(folder)
    sids = [url for url in world if re.search(r"[?&]sid=2", url)]
    for at, url in enumerate(sids[:6]):  # the shop begins to mean something by it
        world[url] = article(text(5000 + at), title=f"Supplier {at}")
    revisit(folder, world, *sids[:6])
    follow(folder)
    assert "a.example: drop parameter sid" not in names(folder)
    withdrawn = [one for one in rules_of(folder, "a.example").standings if one.state is RuleState.WITHDRAWN]
    assert {one.rule.what for one in withdrawn} == {"sid"}


def test_an_undone_rule_stays_undone(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    grow(folder, shop())
    follow(folder)
    rule = undo_rule(folder, "a.example: drop parameter sid")
    assert rule is not None
    assert undo_rule(folder, "a.example: drop parameter nonsense") is None
    file = TwinsFile(folder, writing=True)
    file.remember("seq", 0)
    file._database.execute("DELETE FROM evidence")
    file.close()
    follow(folder)
    assert "a.example: drop parameter sid" not in names(folder)


def test_a_folder_that_nobody_followed_has_no_rules_and_no_twins(tmp_path: Path) -> None:
    grow(tmp_path / "f", news())
    assert rules_of(tmp_path / "f", "a.example").learned == ()
    assert list(near_twins(tmp_path / "f")) == []
    assert not (tmp_path / "f" / NAME).exists()
