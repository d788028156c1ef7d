"""A second sort of pages that live, written apart from the first: offers of a market, with other frames, other things
that turn over by themselves, other edits and other paces. What is chosen on one sort of pages is judged on the other.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import count, cycle
from random import Random

from whimbrel.bench.living_pages import LivingWorld, words

_DAY = date(2027, 9, 6)
_GOODS = ("lamp", "kettle", "boots", "tent", "rope", "stove", "map", "scarf", "flask", "torch", "saddle", "oars")
_NAMES = ("Ada", "Björn", "Chloé", "Dmitri", "Ewa", "Farid", "Greta", "Hana", "Ivo", "Jun")


# What turns over by itself.


def _onlookers(chance: Random) -> Iterator[str]:
    while True:
        yield f"<div class=hint><span>{chance.randrange(2, 60)} people are looking at this offer</span></div>"


def _delivery(chance: Random) -> Iterator[str]:
    first = _DAY + timedelta(chance.randrange(200))
    for turn in count():
        day = first + timedelta(turn)
        yield f"<div class=delivery>Order now and have it by {day:%A}, {day.day} {day:%B}.</div>"


def _cards(chance: Random) -> Iterator[str]:
    """Other goods, each with a price, some of a dozen at a time."""
    pool = [(good, chance.randrange(5, 200)) for good in _GOODS]
    while True:
        shown = chance.sample(pool, 4)
        cards = "".join(
            f"<div class=card><a href=/goods/{good}>A {good} for {price} €</a></div>" for good, price in shown
        )
        yield f"<section><h3>Others took</h3><div class=shelf>{cards}</div></section>"


def _scarce(chance: Random) -> Iterator[str]:
    """A number that moves at seven visits of ten."""
    left = chance.randrange(20, 90)
    while True:
        if chance.random() < 0.7:
            left = max(2, left + chance.choice((-3, -2, -1, 1, 9)))
        yield f"<p class=stock>In the warehouse: {left} pieces</p>"


def _voucher(chance: Random) -> Iterator[str]:
    """Shown to one visitor in three."""
    said = f"Voucher {words(chance, 3).lower()} for new customers"
    while True:
        yield f"<aside-box><p>{said}</p></aside-box>" if chance.random() < 1 / 3 else ""


def _advertisement(chance: Random) -> Iterator[str]:
    pool = [f"<div class=slot><a href=/go/{n}>{words(chance, chance.randrange(4, 9))}</a></div>" for n in range(6)]
    while True:
        yield chance.choice(pool)


def _poll(chance: Random) -> Iterator[str]:
    votes = [chance.randrange(50) for _ in range(3)]
    while True:
        votes[chance.randrange(3)] += chance.randrange(1, 5)
        rows = "".join(f"<dt>{name}</dt><dd>{number} votes</dd>" for name, number in zip("ABC", votes, strict=True))
        yield f"<dl>{rows}</dl>"


def _greeting(chance: Random) -> Iterator[str]:
    while True:
        yield f"<h4>{chance.choice(('Good morning', 'Good evening', 'Hello again'))}, dear visitor</h4>"


def _praise(chance: Random) -> Iterator[str]:
    while True:
        stars = "★" * chance.randrange(3, 6)
        said = f"{words(chance, chance.randrange(4, 12))}. {chance.choice(_NAMES)}, {stars}"
        yield f"<blockquote><p>{said}</p></blockquote>"


def _rate(chance: Random) -> Iterator[str]:
    rate = chance.uniform(0.8, 1.4)
    while True:
        rate *= 1 + chance.gauss(0, 0.004)
        yield f"<table><tr><th>1 EUR</th><td>{rate:.4f} USD</td></tr></table>"


def _riddle(chance: Random) -> Iterator[str]:
    while True:
        yield f"<form action=/say><p>What is {chance.randrange(9)} + {chance.randrange(9)}?</p></form>"


def _server(chance: Random) -> Iterator[str]:
    while True:
        yield f"<p><small>Answered by web-{chance.randrange(1, 9):02d} in {chance.randrange(3, 400)} ms</small></p>"


_NOISE = {
    "onlookers": _onlookers, "delivery day": _delivery, "cards": _cards, "pieces left": _scarce, "voucher": _voucher,
    "advertisement": _advertisement, "poll": _poll, "greeting": _greeting, "praise": _praise, "rate": _rate,
    "riddle": _riddle, "server": _server,
}  # fmt: skip


# What somebody edits.


def _offer(chance: Random) -> Iterator[str]:
    price = chance.randrange(40, 400)
    while True:
        price += chance.choice((-20, -10, -5, 5, 10))
        yield f"<div class=price><b>{price}.00 €</b> <s>{price + 30}.00 €</s></div>"


def _availability(chance: Random) -> Iterator[str]:
    states = ["In stock", "Sold out", "On order"]
    chance.shuffle(states)
    for state in cycle(states):
        yield f"<p class=state>{state}</p>"


def _notice(chance: Random) -> Iterator[str]:
    """The same notice is put up and taken down again."""
    said = words(chance, 8)
    yield from cycle(("", f"<div class=notice><p>{said}.</p></div>"))


def _rows(chance: Random) -> Iterator[str]:
    rows = {words(chance, 1): words(chance, 2) for _ in range(4)}
    while True:
        yield f"<table>{''.join(f'<tr><th>{name}</th><td>{says}</td></tr>' for name, says in rows.items())}</table>"
        if len(rows) > 3 and chance.random() < 0.3:
            rows.pop(chance.choice(list(rows)))
        else:
            rows[f"{words(chance, 1)} {''.join(chance.choices('bdfgk', k=4))}"] = words(chance, 2)


def _measure(chance: Random) -> Iterator[str]:
    grams = chance.randrange(200, 900)
    while True:
        grams += chance.choice((-25, -10, 10, 25, 40))
        yield f"<dl><dt>Weight</dt><dd>{grams} g</dd><dt>Made in</dt><dd>Riga</dd></dl>"


def _sentence(chance: Random) -> Iterator[str]:
    """A sentence more at the end of a paragraph, or one less at its beginning."""
    said = [words(chance, 9), words(chance, 7)]
    while True:
        yield f"<p>{'. '.join(said)}.</p>"
        if len(said) < 4:
            said.append(words(chance, chance.randrange(4, 9)))
        else:
            said.pop(0)


def _hours(chance: Random) -> Iterator[str]:
    while True:
        first, last = chance.randrange(7, 11), chance.randrange(15, 21)
        yield f"<table><tr><td>Saturday</td><td>{first}:00 to {last}:{chance.randrange(60):02d}</td></tr></table>"


def _heading(chance: Random) -> Iterator[str]:
    while True:
        yield f"<h2>{words(chance, 3)}</h2>"


def _opinion(chance: Random) -> Iterator[str]:
    """One more opinion stands before the others."""
    said: list[str] = []
    for number in count(1):
        said.insert(0, f"<article><h5>{chance.choice(_NAMES)}</h5><p>{words(chance, 9)}, {number}.</p></article>")
        yield "".join(said)


def _manual(chance: Random) -> Iterator[str]:
    for number in count(chance.randrange(2, 40)):
        yield f"<p>Read <a href=/manuals/edition-{number}.html>the manual</a> first.</p>"


_EDITS = {
    "offer": _offer, "availability": _availability, "notice": _notice, "rows": _rows, "measure": _measure,
    "sentence": _sentence, "hours": _hours, "heading": _heading, "opinion": _opinion, "manual": _manual,
}  # fmt: skip


def _seldom(chance: Random, visits: int) -> set[int]:
    return {turn for turn in range(1, visits) if chance.random() < 1 / 10}


def _every_third(chance: Random, visits: int) -> set[int]:
    return set(range(chance.randrange(1, 4), visits, 3))


def _three_in_a_row(chance: Random, visits: int) -> set[int]:
    """Three days of work on it, then none for long."""
    return {turn + more for turn in range(chance.randrange(3, 8), visits - 2, 11) for more in range(3)}


def _by_chance(chance: Random, visits: int) -> set[int]:
    return {turn for turn in range(1, visits) if chance.random() < 1 / 5}


def _frame(title: str, parts: list[str], release: str, turn: int) -> str:
    story = "\n".join(f"<div class=part>{part}</div>" for part in parts)
    return (
        f"<!doctype html><html><head><title>{title} – Market</title><meta name=generated content={turn}></head><body>"
        f"<div id=head><a href=/>Market</a> <a href=/goods>All goods</a></div><h1>{title}</h1>{story}"
        f"<p>Terms of the market, edition {release}.</p><div class=footer>Page {turn}</div></body></html>"
    )


MARKET = LivingWorld(
    "market", _NOISE,
    frozenset({"onlookers", "cards", "voucher", "advertisement", "praise", "riddle", "server"}), _EDITS,
    {"seldom": _seldom, "every third": _every_third, "three in a row": _three_in_a_row, "by chance": _by_chance},
    _frame,
)  # fmt: skip
