"""Pages that live: spots that turn over by themselves, and spots that somebody edits now and then, each by chance.

What is what is known, since it is made here. A spot of either sort gives its next state whenever it is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import count, cycle
from random import Random

from msgspec import Struct

from whimbrel.testing.site import WORDS

States = Callable[[Random], Iterator[str]]
Turns = Callable[[Random, int], set[int]]
Frame = Callable[[str, list[str], str, int], str]

PAGES, MOST_SPOTS = 12, 3


class LivingWorld(Struct, frozen=True):
    """A sort of sites: what turns over on their pages, what is edited and at which visits, and what stands around it:
    from a title, the parts of a page, the site's release and the visit."""

    name: str
    noise: Mapping[str, States]
    by_lot: frozenset[str]
    """Of the noise, what is another whenever the page is asked for; the rest goes by the day."""
    edits: Mapping[str, States]
    paces: Mapping[str, Turns]
    frame: Frame

    def site(self, seed: int, visits: int) -> "list[LivingPage]":
        """Every sort of edit and noise has its turn, whatever the seed."""
        chance = Random(seed)
        edits, noise, paces = (chance.sample(list(some), len(some)) for some in (self.edits, self.noise, self.paces))
        found = []
        for number in range(PAGES):
            beside = [noise[(number + step * 5) % len(noise)] for step in range(chance.randrange(MOST_SPOTS + 1))]
            edited, pace = edits[number % len(edits)], paces[number % len(paces)]
            found.append(LivingPage(f"page{number}", beside, edited, pace, chance, visits, self))
        return found


_SKIES = ("cloudy", "clear", "light rain", "fog", "storm")
_FIRST_DAY = date(2026, 3, 2)


def words(chance: Random, number: int) -> str:
    return " ".join(chance.choices(WORDS, k=number)).capitalize()


# What turns over by itself. Each is asked at every visit.


def _counter(chance: Random) -> Iterator[str]:
    seen = chance.randrange(1_000)
    while True:
        seen += chance.randrange(1, 90)
        yield f"<p>Birds on the marsh: {seen}</p>"


def _nonce(chance: Random) -> Iterator[str]:
    while True:
        yield f"<p>Visit {chance.randrange(16**6):06x}-{chance.randrange(16**4):04x}</p>"


def _saying(chance: Random) -> Iterator[str]:
    sayings = [words(chance, chance.randrange(3, 7)) for _ in range(9)]
    while True:
        yield f"<blockquote>{chance.choice(sayings)}</blockquote>"


def _quote(chance: Random) -> Iterator[str]:
    price = chance.uniform(10, 400)
    while True:
        step = chance.gauss(0, 0.01)
        price *= 1 + step
        yield f"<p><b>WHIM</b> {price:.2f} EUR {'+−'[step < 0]}{abs(100 * step):.2f} %</p>"


def _weather(chance: Random) -> Iterator[str]:
    while True:
        yield f"<p>{chance.randrange(-5, 30)} °C, {chance.choice(_SKIES)}, wind {chance.randrange(40)} km/h</p>"


def _teasers(chance: Random) -> Iterator[str]:
    pool = [(n, words(chance, chance.randrange(3, 8))) for n in range(9)]
    while True:
        items = "".join(f"<li><a href=/news/{n}>{said}</a></li>" for n, said in chance.sample(pool, 3))
        yield f"<h2>Elsewhere</h2><ul>{items}</ul>"


def _experiment(chance: Random) -> Iterator[str]:
    said = words(chance, 6)
    while True:
        yield chance.choice((f"<div class=x1><p>{said}</p></div>", ""))


def _alternating(chance: Random) -> Iterator[str]:
    pair = chance.sample(range(10, 99), 2)
    for load in cycle(pair):
        yield f"<table><tr><td>Node</td><td>Load</td></tr><tr><td>east</td><td>{load}</td></tr></table>"


def _day(chance: Random) -> Iterator[str]:
    day = _FIRST_DAY + timedelta(chance.randrange(300))
    for turn in count():
        yield f"<p>Tides of {day + timedelta(turn):%A, %d %B %Y}</p>"


def _shuffled(chance: Random) -> Iterator[str]:
    items = [f"<li>{words(chance, 3)}</li>" for _ in range(5)]
    while True:
        chance.shuffle(items)
        yield f"<ul>{''.join(items)}</ul>"


def _now_and_then(chance: Random) -> Iterator[str]:
    """A number that rests at one visit in five."""
    seen = chance.randrange(1_000)
    while True:
        if chance.random() < 0.8:
            seen += chance.randrange(1, 9)
        yield f"<p>Reports that came in: {seen}</p>"


def _session(chance: Random) -> Iterator[str]:
    while True:
        mark = f"{chance.randrange(16**12):012x}"
        hidden = f"<input type=hidden name=t value={mark}>"
        yield f"<form action=/ask?csrf={mark}>{hidden}<a href=/next?sid={mark}>On</a></form>"


NOISE: Mapping[str, States] = {
    "counter": _counter, "nonce": _nonce, "saying": _saying, "stock quote": _quote, "weather": _weather,
    "teasers": _teasers, "experiment": _experiment, "alternating number": _alternating, "date of the day": _day,
    "shuffled list": _shuffled, "counter that rests": _now_and_then, "session": _session,
}  # fmt: skip


# What somebody edits. Each gives its next state when it is edited.


def _price(chance: Random) -> Iterator[str]:
    price = chance.randrange(10, 90)
    while True:
        price += chance.choice((-3, -2, -1, 1, 2, 3))
        yield f"<p>It costs {price} euros.</p>"


def _release(chance: Random) -> Iterator[str]:
    part = [1, 0, 0]
    while True:
        at = chance.choice((0, 1, 2, 2, 2))
        part = [*part[:at], part[at] + 1, *[0] * (2 - at)]
        yield f"<p>The newest release is {'.'.join(map(str, part))}.</p>"


def _deadline(chance: Random) -> Iterator[str]:
    day = _FIRST_DAY
    while True:
        day += timedelta(chance.randrange(1, 60))
        yield f"<p>Send it by {day.day} {day:%B %Y}.</p>"


def _prose(chance: Random) -> Iterator[str]:
    while True:
        yield f"<p>{words(chance, chance.randrange(6, 15))}.</p>"


def _one_word(chance: Random) -> Iterator[str]:
    said = [f"w{letter}" for letter in "abcdefghijklmnop"]
    while True:
        said[chance.randrange(len(said))] = f"x{''.join(chance.choices('abcdefghij', k=6))}"
        yield f"<p>{' '.join(said)}.</p>"


def _list(chance: Random) -> Iterator[str]:
    items = [words(chance, 4) for _ in range(4)]
    while True:
        yield f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
        if len(items) > 2 and chance.random() < 0.4:
            items.pop(chance.randrange(len(items)))
        else:
            items.insert(chance.randrange(len(items) + 1), words(chance, 4))


def _cell(chance: Random) -> Iterator[str]:
    fees = {name: chance.randrange(5, 50) for name in ("adult", "child", "group")}
    while True:
        name = chance.choice(list(fees))
        fees[name] += chance.choice((-2, 1, 2, 5))
        rows = "".join(f"<tr><td>{one}</td><td>{fee}</td></tr>" for one, fee in fees.items())
        yield f"<table><tr><th>who</th><th>fee</th></tr>{rows}</table>"


def _status(_: Random) -> Iterator[str]:
    """Up, down and up again: it always was so before."""
    yield from cycle(("<p>The ferry sails.</p>", "<p>The ferry is cancelled.</p>"))


def _dated(chance: Random) -> Iterator[str]:
    """The date moves with the text."""
    day = _FIRST_DAY
    while True:
        day += timedelta(chance.randrange(3, 40))
        yield f"<p>Changed on {day.day} {day:%B %Y}.</p><p>{words(chance, 8)}.</p>"


def _link(chance: Random) -> Iterator[str]:
    for number in count(chance.randrange(100)):
        yield f"<p>The <a href=/map/{number}>map</a> of the marsh.</p>"


EDITS: Mapping[str, States] = {
    "price": _price, "release": _release, "deadline": _deadline, "prose": _prose, "one word": _one_word,
    "list": _list, "cell of a table": _cell, "status": _status, "date and text": _dated, "link": _link,
}  # fmt: skip


def _rare(chance: Random, visits: int) -> set[int]:
    return {turn for turn in range(1, visits) if chance.random() < 1 / 8}


def _regular(chance: Random, visits: int) -> set[int]:
    return set(range(chance.randrange(1, 4), visits, chance.randrange(3, 6)))


def _late(chance: Random, visits: int) -> set[int]:
    """Nothing for long, then some."""
    return {turn for turn in range(visits // 2, visits) if chance.random() < 1 / 4}


def _twice_in_a_row(chance: Random, visits: int) -> set[int]:
    """An edit and its mend, then quiet for long."""
    return {turn + more for turn in range(chance.randrange(2, 6), visits - 1, 8) for more in (0, 1)}


PACES: Mapping[str, Turns] = {
    "rare": _rare, "regular": _regular, "late": _late, "twice in a row": _twice_in_a_row,
}  # fmt: skip


def _frame(title: str, parts: list[str], release: str, turn: int) -> str:
    return (
        f"<!doctype html><title>{title}</title><nav><a href=/>Start</a></nav><main><h1>{title}</h1>"
        f"{''.join(parts)}<p>Guide to the marsh, release {release}.</p></main><footer>{turn}</footer>"
    )


BY_LOT = frozenset({"nonce", "saying", "teasers", "experiment", "shuffled list", "session"})
MARSH = LivingWorld("marsh", NOISE, BY_LOT, EDITS, PACES, _frame)


class LivingPage:
    """A story with some spots of noise in it and one that is edited at the visits in `edits`."""

    def __init__(
        self,
        name: str,
        noise: Sequence[str],
        edited: str,
        pace: str,
        chance: Random,
        visits: int,
        world: LivingWorld = MARSH,
    ) -> None:
        self.name, self.noise, self.edited, self.pace = name, tuple(noise), edited, pace
        self.edits = world.paces[pace](chance, visits)
        self._turning = [world.noise[one](Random(chance.random())) for one in noise]
        self._by_lot = [one in world.by_lot for one in noise]
        self._showing: list[str] = []
        self._states = world.edits[edited](Random(chance.random()))
        self._frame = world.frame
        self._title = f"{words(chance, 2)} {name}"
        story = [f"<p>{words(chance, chance.randrange(9, 30))}.</p>" for _ in range(chance.randrange(5, 12))]
        self._spots = sorted(chance.sample(range(len(story)), len(noise) + 1))
        chance.shuffle(self._spots)
        self._story = story
        self.state = next(self._states)
        self.before = self.state

    def next(self, turn: int, release: str) -> str:
        """The page at a visit."""
        self.before = self.state
        if turn in self.edits:
            self.state = next(self._states)
        self._showing = [next(one) for one in self._turning]
        return self._written(turn, release)

    def again(self, turn: int, release: str) -> str:
        """The page moments later."""
        drawn = zip(self._by_lot, self._turning, self._showing, strict=True)
        self._showing = [next(turning) if by_lot else shown for by_lot, turning, shown in drawn]
        return self._written(turn, release)

    def _written(self, turn: int, release: str) -> str:
        inside = dict(zip(self._spots, (self.state, *self._showing), strict=True))
        parts = [f"{inside.get(at, '')}{paragraph}" for at, paragraph in enumerate(self._story)]
        return self._frame(self._title, parts, release, turn)
