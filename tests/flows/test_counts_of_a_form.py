"""A counter that moves now and then falls silent once other pages of its form show what it is; what people edit does
not, however often."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

import pytest

from growing_site import Followed
from growing_site import page as story
from whimbrel.bench.playing import Player
from whimbrel.flows.packing import unpacked_spots
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

DAY = 86_400.0
LEARNED = 6
"""Runs that twelve pages take to show what counts on them."""
NAMES = ("moor", "heath", "reed", "tide", "crab", "nest", "dune", "cove", "fen", "quay", "spit", "weir")


class Offers:
    """Twelve pages of one form, each with a counter, and some with what is edited."""

    def __init__(self, player: Player) -> None:
        self._player, self._day = player, 0
        self._chance = Random(3)
        self.saved = {name: self._chance.randrange(90) for name in NAMES}

    def run(self, facts: Callable[[str], str], counted: bool = True) -> dict[str, list[str]]:
        """A run over all pages; what is told of each, word for word."""
        for name in NAMES if self._day and counted else ():
            self.saved[name] += self._chance.random() < 1 / 3
        return self.show(facts)

    def show(self, facts: Callable[[str], str]) -> dict[str, list[str]]:
        self._day += 1
        moment = 1e9 + DAY * self._day
        self._player.begin()
        told = {name: self._player.visit(name, self._body(name, facts(name)), moment) for name in NAMES}
        for name, note in self._player.end(moment):
            told[name].append(note)
        return {
            name: [spot.after or spot.before for note in notes for spot in unpacked_spots(note.details)[0]]
            for name, notes in told.items()
            if notes
        }

    def _body(self, name: str, facts: str) -> bytes:
        story = f"<h1>The {name}</h1><p>A walk by the {name} with a guide.</p><p>{self.saved[name]} people saved it</p>"
        return f"<!doctype html><title>The {name}</title><main>{story}{facts}<p>Boots for {name}</p></main>".encode()


@pytest.fixture
def offers(tmp_path: Path) -> Iterator[Offers]:
    player = Player(tmp_path / "kept", "walks.example")
    yield Offers(player)
    player.close()


def row(label: str, numbers: Mapping[str, int], name: str) -> str:
    return f"<table><tr><td>{label}</td><td>{numbers[name]}</td></tr></table>"


def test_a_counter_that_moves_now_and_then_falls_silent(offers: Offers) -> None:
    for _ in range(LEARNED):
        assert offers.run(lambda name: "") is not None
    assert [offers.run(lambda name: "") for _ in range(8)] == [{}] * 8


def test_a_number_that_one_page_raises_again_and_again_is_told(offers: Offers) -> None:
    prices = dict.fromkeys(NAMES, 40)
    raised = []
    for turn in range(24):
        prices["reed"] += 2 * (turn % 3 == 2)
        told = offers.run(lambda name: row("A ticket", prices, name))
        raised += [told.get("reed", [])] if turn % 3 == 2 else []
    assert [str(price) in said for price, said in zip(range(42, 58, 2), raised, strict=True)] == [True] * 8


def test_a_number_that_people_set_up_and_down_is_told_on_every_page(offers: Offers) -> None:
    chance = Random(7)
    limits = {name: 40 + 9 * at for at, name in enumerate(NAMES)}
    missed = []
    for turn in range(20):
        edited = [name for name in NAMES if chance.random() < 1 / 4] if turn else []
        for name in edited:
            limits[name] += chance.choice((-3, -1, 2, 4))
        told = offers.run(lambda name: row("At most", limits, name))
        missed += [(turn, name) for name in edited if str(limits[name]) not in told.get(name, [])]
    assert missed == []


def test_a_number_that_is_raised_on_all_pages_at_once_is_told_on_each(offers: Offers) -> None:
    limits = {name: 10 + at for at, name in enumerate(NAMES)}
    for turn in range(1, 16):
        if turn % 3 == 0:
            for name in NAMES:
                limits[name] += 1
        told = offers.run(lambda name: row("At most", limits, name))
        if turn % 3 == 0:
            assert [name for name in NAMES if str(limits[name]) not in told.get(name, [])] == []


def test_a_counter_that_goes_back_is_told(offers: Offers) -> None:
    for _ in range(LEARNED + 2):
        offers.run(lambda name: "")
    offers.saved["tide"] = 0
    assert offers.show(lambda name: "") == {"tide": ["0 people saved it"]}


def test_what_most_pages_call_a_number_tells_counters_from_facts_of_the_same_looks(offers: Offers) -> None:
    places = dict.fromkeys(NAMES, 20)
    seen = dict.fromkeys(NAMES, 100)
    chance = Random(5)

    def facts(name: str) -> str:
        return f"<div class=fact>Places {places[name]}</div><div class=fact>{name} {seen[name]}</div>"

    for turn in range(12):
        for name in NAMES if turn else ():
            seen[name] += chance.random() < 1 / 3
        offers.run(facts, counted=False)
    places["cove"] += 5
    assert offers.run(facts, counted=False) == {"cove": ["Places 25"]}
    seen["fen"] += 1
    assert offers.run(facts, counted=False) == {}


@pytest.mark.parametrize(
    "said", ["<p>{} CHF</p>", "<p>€ {} a night</p>", "<p class=price>{}</p>", "<p>It costs {}.</p>"]
)
def test_money_and_what_a_sentence_says_is_no_counter(offers: Offers, said: str) -> None:
    fees = {name: 40 + 20 * at for at, name in enumerate(NAMES)}
    for turn in range(16):
        dearer = [name for at, name in enumerate(NAMES) if (at + turn) % 4 == 0] if turn else []
        for name in dearer:
            fees[name] += 1
        told = offers.run(lambda name: said.format(fees[name]), counted=False)
        assert [name for name in dearer if name not in told] == []


def test_what_the_label_of_a_row_says_on_all_pages_is_known_by_it(offers: Offers) -> None:
    """The same raises as of the fees, of what is not known to be money: in a while they are taken for a counter."""
    goods = {name: 40 + 20 * at for at, name in enumerate(NAMES)}
    told = []
    for turn in range(16):
        for name in [name for at, name in enumerate(NAMES) if (at + turn) % 4 == 0] if turn else ():
            goods[name] += 1
        told.append(len(offers.run(lambda name: row("Sold", goods, name), counted=False)))
    assert (min(told[1:4]), max(told[10:])) == (3, 0)


def test_refreshes_keep_what_they_learned_of_a_site(tmp_path: Path) -> None:
    """By the command's own way, where each run is a process of its own."""

    def saved(name: str, number: int) -> Reply:
        said = f"<h1>The {name}</h1><p>A walk by the {name} with a guide.</p><p>{number} people saved it</p>"
        return Reply(f"<!doctype html><title>The {name}</title><main>{said}</main>".encode())

    numbers = {name: 9 * at for at, name in enumerate(NAMES)}
    pages = {f"/{name}": saved(name, number) for name, number in numbers.items()}
    with TinyWeb({"/": story("walks", *pages), **pages}) as web:
        site = Followed(web, tmp_path / "folder")
        site.crawl()
        told = [0]
        for turn in range(8):
            for name in [name for at, name in enumerate(NAMES) if (at + turn) % 4 == 0]:
                numbers[name] += 1
                web.pages[f"/{name}"] = saved(name, numbers[name])
            site.refresh()
            told.append(len(site.told("changed")))
    assert (told[1], told[2]) == (3, 6)
    assert told[5:] == told[5:6] * 4, "nothing more"
