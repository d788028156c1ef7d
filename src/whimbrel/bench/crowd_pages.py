"""Sites of many pages of one form, which a crowd visits between two looks: what is counted on a page is counted from
what was done there. Pages differ in how many come (Zipf), so some counters move at each visit and most now and then.

On every page somebody edits one fact after the other now and then; on a few the same fact again and again. Edits are
rarer than on the other worlds, as they are on sites of this size.
"""

from collections.abc import Callable, Mapping
from math import exp
from random import Random

from msgspec import Struct

from whimbrel.bench.living_pages import words

Facts = dict[str, str]
Counts = dict[str, int]
Edit = Callable[[Random, str], str]

NAMES = ("Ann", "Bo", "Chen", "Dora", "Emil", "Fatma", "Gil", "Hugo", "Ines", "Juri", "Kaja", "Luc")
PAGES = 30
_BUSIEST = 6.0
"""Visitors who do something on the busiest page between two looks; the n-th page has an n-th of them and a fiftieth."""


class CrowdCounter(Struct, frozen=True):
    """A counter: where it begins, how much one visitor does to it, and at which number somebody sets it back."""

    least: int
    most: int
    share: float
    step: int = 1
    ends_at: int | None = None


class CrowdStyle(Struct, frozen=True):
    """One form of pages: its facts with how somebody edits each, its counters, and how it is written, from a title,
    these, chance and the visit."""

    name: str
    facts: Mapping[str, tuple[Edit, Edit]]
    counts: Mapping[str, CrowdCounter]
    write: Callable[[str, Facts, Counts, Random, int], str]


class CrowdWorld(Struct, frozen=True):
    """Sites of some styles, in turns by their seeds."""

    name: str
    styles: tuple[CrowdStyle, ...]
    paces: tuple[str, ...] = ("now and then", "again and again")

    @property
    def edits(self) -> tuple[str, ...]:
        return tuple(f"{style.name}: {fact}" for style in self.styles for fact in style.facts)

    @property
    def noise(self) -> tuple[str, ...]:
        return tuple(style.name for style in self.styles)

    def site(self, seed: int, visits: int) -> "list[CrowdPage]":
        chance = Random(seed)
        style = self.styles[seed % len(self.styles)]
        ranks = chance.sample(range(PAGES), PAGES)
        often = set(chance.sample(range(PAGES), 3))
        return [CrowdPage(f"page{n}", style, ranks[n] + 1, n in often, chance, visits) for n in range(PAGES)]


class CrowdPage:
    """A page of a style: its facts, its counters, and when which fact is edited."""

    def __init__(self, name: str, style: CrowdStyle, rank: int, often: bool, chance: Random, visits: int) -> None:
        self.name = name
        self.noise: tuple[str, ...] = (style.name,)
        self.pace = "again and again" if often else "now and then"
        self._style = style
        self._chance = Random(chance.random())
        self._facts = {fact: first(self._chance, "") for fact, (first, _) in style.facts.items()}
        self._counts = {one: self._chance.randrange(c.least, c.most) for one, c in style.counts.items()}
        self._visitors = _BUSIEST / rank + _BUSIEST / 50
        self._title = f"{words(self._chance, 2)} {name}"
        facts = list(style.facts)
        if often:
            fact = chance.choice(facts)
            self.edits = dict.fromkeys(range(chance.randrange(1, 4), visits, 3), fact)
        else:
            self.edits = {turn: chance.choice(facts) for turn in range(1, visits) if chance.random() < 1 / 20}
        self._edited = facts[0]
        self.state = self.before = self._told()

    @property
    def edited(self) -> str:
        return f"{self._style.name}: {self._edited}"

    def next(self, turn: int, release: str) -> str:
        self.before = self.state
        if turn in self.edits:
            self._edited = self.edits[turn]
            change = self._style.facts[self._edited][1]
            self._facts[self._edited] = change(self._chance, self._facts[self._edited])
        self.state = self._told()
        for name, counted in self._style.counts.items() if turn else ():
            self._counts[name] = _after(self._chance, self._counts[name], counted, self._visitors)
        return self.again(turn, release)

    def again(self, turn: int, release: str) -> str:
        return self._style.write(self._title, self._facts, self._counts, self._chance, turn)

    def _told(self) -> str:
        return "\n".join(self._facts.values())


def _after(chance: Random, number: int, counted: CrowdCounter, visitors: float) -> int:
    for _ in range(_poisson(chance, visitors * counted.share)):
        number += counted.step
        if number == counted.ends_at:
            number = chance.randrange(counted.least, counted.most)
    return number


def _poisson(chance: Random, mean: float) -> int:
    """Knuth's way: how many factors of chance it takes to come below e to the minus mean."""
    if mean > 30:
        return max(0, round(chance.gauss(mean, mean**0.5)))
    least, product, count = exp(-mean), chance.random(), 0
    while product > least:
        product, count = product * chance.random(), count + 1
    return count


# How facts begin and are edited.


def number(least: int, most: int, steps: tuple[int, ...]) -> tuple[Edit, Edit]:
    return (
        lambda chance, _: str(chance.randrange(least, most)),
        lambda chance, was: str(max(1, int(was) + chance.choice(steps))),
    )


def prose(least: int, most: int) -> tuple[Edit, Edit]:
    def one(chance: Random, _: str) -> str:
        return f"{words(chance, chance.randrange(least, most))}."

    return one, one


def one_word(length: int) -> tuple[Edit, Edit]:
    def edit(chance: Random, was: str) -> str:
        said = was.split()
        said[chance.randrange(len(said))] = "".join(chance.choices("abcdefghij", k=7))
        return " ".join(said)

    return (lambda chance, _: words(chance, length)), edit


def one_of(*said: str) -> tuple[Edit, Edit]:
    return (
        lambda chance, _: chance.choice(said),
        lambda chance, was: chance.choice([other for other in said if other != was]),
    )


def day(month: str) -> tuple[Edit, Edit]:
    def edit(chance: Random, was: str) -> str:
        return f"{int(was.split()[0]) % 28 + chance.choice((1, 2))} {month} 2027"

    return (lambda chance, _: f"{chance.randrange(1, 29)} {month} 2027"), edit


def release() -> tuple[Edit, Edit]:
    def edit(chance: Random, was: str) -> str:
        major, minor, patch = map(int, was.split("."))
        return chance.choice((f"{major}.{minor}.{patch + 1}", f"{major}.{minor}.{patch + 1}", f"{major}.{minor + 1}.0"))

    return (lambda chance, _: f"{chance.randrange(4)}.{chance.randrange(9)}.{chance.randrange(9)}"), edit


def clock() -> tuple[Edit, Edit]:
    def some(chance: Random, _: str) -> str:
        return f"{chance.randrange(7, 12)}:{chance.choice(('00', '15', '30', '45'))}"

    def edit(chance: Random, was: str) -> str:
        return next(iter(now for now in iter(lambda: some(chance, was), None) if now != was))

    return some, edit


# How pages are written.


def framed(site: str, title: str, inside: str, aside: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{title} - {site}</title></head><body><header><a href=/>{site}</a>"
        f"<nav><a href=/new>New</a> <a href=/about>About</a></nav></header><main>{inside}</main>{aside}"
        f"<footer><p>{site}, since 2009</p></footer></body></html>"
    )


def _forum(title: str, facts: Facts, counts: Counts, chance: Random, turn: int) -> str:
    first, second = NAMES[len(title) % 12], NAMES[len(facts["answer"]) % 12]
    posts = "".join(
        f"<div class=post><div class=author><a href=/u/{name}>{name}</a>"
        f"<span class=rep>{counts[f'{which} rep']:,}</span>"
        f"</div><div class=vote>{counts[f'{which} votes']}</div><div class=body><p>{said}</p></div></div>"
        for which, name, said in (("first", first, facts["question"]), ("second", second, facts["answer"]))
    )
    note = f"<div class=moderator-note><p>{facts['moderator']}</p></div>"
    return framed(
        "Quayside forum", title,
        f"<h1>{title}</h1><ul class=meta><li>Asked {2 + turn // 30} months ago</li>"
        f"<li>{counts['thanks']} members said thanks</li><li>Bookmarked by {counts['bookmarks']}</li>"
        f"</ul>{note}{posts}",
    )  # fmt: skip


_FORUM = CrowdStyle(
    "forum",
    {"question": one_word(24), "answer": prose(10, 30), "moderator": one_of(
        "Open to everybody.", "Closed as a duplicate.", "Solved.", "Please stay with the topic.")},
    {"first rep": CrowdCounter(10, 4_000, 0.3, 5), "second rep": CrowdCounter(10, 4_000, 0.2, 10),
     "first votes": CrowdCounter(0, 40, 0.2), "second votes": CrowdCounter(0, 40, 0.2),
     "thanks": CrowdCounter(0, 60, 0.3),
     "bookmarks": CrowdCounter(0, 30, 0.15)},
    _forum,
)  # fmt: skip


def _shop(title: str, facts: Facts, counts: Counts, chance: Random, turn: int) -> str:
    also = "".join(f"<li><a href=/p/{n}>Goods number {n}</a></li>" for n in chance.sample(range(40), 4))
    return framed(
        "Chandler's", title,
        f"<h1>{title}</h1><div class=price>{facts['price']}.90 EUR</div>"
        f"<p class=stock>{counts['stock']} pieces left</p>"
        f"<p class=sold>Sold <b>{counts['sold']}</b></p><div class=stars>({counts['reviews']})</div>"
        f"<p class=text>{facts['description']}</p><table><tr><th>Weight in g</th><td>{facts['weight']}</td></tr>"
        f"<tr><th>Colour</th><td>{facts['colour']}</td></tr><tr><th>Most per order</th><td>{facts['most']}"
        f"</td></tr></table>"
        f"<h2>Customers also bought</h2><ul>{also}</ul>",
    )  # fmt: skip


_SHOP = CrowdStyle(
    "shop",
    {"price": number(10, 90, (-5, -2, 1, 2, 4)), "description": prose(12, 30),
     "weight": number(100, 900, (-20, 10, 30)), "colour": one_of("red", "green", "blue", "black"),
     "most": number(5, 20, (-1, 1, 5))},
    {"stock": CrowdCounter(5, 60, 0.2, -1, 0), "sold": CrowdCounter(0, 900, 0.2),
     "reviews": CrowdCounter(0, 120, 0.08)},
    _shop,
)  # fmt: skip


def _course(title: str, facts: Facts, counts: Counts, chance: Random, turn: int) -> str:
    return framed(
        "Evening school", title,
        f"<h1>{title}</h1><p>{facts['text']}</p><dl><dt>Begins</dt><dd>{facts['begins']}, {facts['hour']}</dd>"
        f"<dt>Room</dt><dd>{facts['room']}</dd><dt>Fee</dt><dd>{facts['fee']} EUR</dd><dt>Places</dt>"
        f"<dd>{facts['places']}</dd>"
        f"<dt>Still free</dt><dd>{counts['free']}</dd></dl><p>{counts['waiting']} on the waiting list</p>",
    )  # fmt: skip


_COURSES = CrowdStyle(
    "courses",
    {"text": prose(12, 30), "begins": day("May"), "hour": clock(), "room": number(100, 400, (-30, 1, 12)),
     "fee": number(20, 90, (-5, 5, 8)), "places": number(10, 30, (-2, 2, 4))},
    {"free": CrowdCounter(2, 25, 0.2, -1, 0), "waiting": CrowdCounter(0, 9, 0.1)},
    _course,
)  # fmt: skip


def _recipe(title: str, facts: Facts, counts: Counts, chance: Random, turn: int) -> str:
    items = f"<li>{facts['flour']} g flour</li><li>{facts['eggs']} eggs</li><li>1 pinch of salt</li>"
    return framed(
        "The galley", title,
        f"<article><h1>{title}</h1><div class=bar><span>{counts['saved']} times saved</span></div>"
        f"<div class=bar>Cooked by {counts['cooked']} people</div><ul class=ingredients>{items}</ul>"
        f"<p>{facts['how']}</p>"
        f"<p class=for>For {facts['eaters']}</p><h2>{counts['comments']} opinions</h2></article>",
        f"<aside><h3>Most read</h3><p>{words(chance, 5)}</p></aside>",
    )  # fmt: skip


_RECIPES = CrowdStyle(
    "recipes",
    {"flour": number(100, 500, (-50, 20, 50)), "eggs": number(1, 7, (-1, 1, 2)), "how": one_word(30),
     "eaters": number(2, 8, (-1, 1, 2))},
    {"saved": CrowdCounter(0, 2_000, 0.3), "cooked": CrowdCounter(0, 300, 0.1), "comments": CrowdCounter(0, 60, 0.1)},
    _recipe,
)  # fmt: skip

CROWD = CrowdWorld("crowd", (_FORUM, _SHOP, _COURSES, _RECIPES))
