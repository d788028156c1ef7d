"""A third sort of pages that live, as forums, shops, status pages and calendars write them: the same words and forms
stand in many places of a page, one of which turns over by itself while another is edited. It was written after the
rules for the other two, and run once before anything was mended for it (docs/change.md gives both figures).
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from random import Random

from whimbrel.bench.living_pages import LivingWorld, words

_DAY = datetime(2026, 11, 18, 13, 24, 58)
_NAMES = ("Ann", "Bo", "Chen", "Dora", "Emil", "Fatma", "Gil", "Hugo", "Ines", "Juri")


def _mark(chance: Random, digits: int) -> str:
    return f"{chance.randrange(16**digits):0{digits}x}"


# What turns over by itself.


def _online(chance: Random) -> Iterator[str]:
    while True:
        guests, members = chance.randrange(2, 90), chance.randrange(9)
        yield (
            f"<p>In total there are <strong>{guests + members}</strong> users online :: {members} registered, "
            f"{chance.randrange(2)} hidden and {guests} guests</p>"
        )


def _nonces(chance: Random) -> Iterator[str]:
    while True:
        yield (
            f"<p><a href='/comment?_wpnonce={_mark(chance, 10)}'>Reply</a> "
            f"<a href='/topic.php?t=5&amp;sid={_mark(chance, 32)}'>Quote</a></p>"
            f"<form action=/post method=post><input type=hidden name=form_key value={_mark(chance, 16)}></form>"
        )


def _related(chance: Random) -> Iterator[str]:
    pool = [(n, words(chance, chance.randrange(3, 8))) for n in range(14)]
    while True:
        items = "".join(f"<p><a href='/story/{n}'>{said}</a></p>" for n, said in chance.sample(pool, 3))
        yield f"<div class='jp-relatedposts'><h3>Related</h3>{items}</div>"


def _servers(chance: Random) -> Iterator[str]:
    """Rows of one form, one of which never rests."""
    while True:
        took = (chance.randrange(10, 99), 20, 30)
        rows = "".join(f"<tr><td>Server {n}</td><td>{ms} ms</td></tr>" for n, ms in enumerate(took, 1))
        yield f"<table><tr><th>Host</th><th>Response</th></tr>{rows}</table>"


def _gold(chance: Random) -> Iterator[str]:
    """A price among prices, by the day."""
    price = chance.uniform(1500, 2500)
    while True:
        price *= 1 + chance.gauss(0, 0.01)
        yield f"<h4>An ounce of gold</h4><div class=price>{price:.2f} EUR</div>"


def _testimonial(chance: Random) -> Iterator[str]:
    pool = [f"{words(chance, chance.randrange(6, 14))}. {name}" for name in _NAMES]
    while True:
        yield f"<div class=slide><p>{chance.choice(pool)}</p></div>"


def _consent(chance: Random) -> Iterator[str]:
    while True:
        yield chance.choice(("<div id='cmplz-cookiebanner-container'><p>We keep cookies.</p></div>", ""))


def _variant(chance: Random) -> Iterator[str]:
    pair = words(chance, 4), words(chance, 5)
    while True:
        yield f"<h3>{chance.choice(pair)}</h3>"


def _countdown(chance: Random) -> Iterator[str]:
    left = chance.randrange(40, 200)
    for turn in count():
        yield f"<div>{left - turn} days {chance.randrange(24)} hours {chance.randrange(60)} minutes left</div>"


def _as_of(chance: Random) -> Iterator[str]:
    for turn in count(chance.randrange(90)):
        yield f"<p>Stand: {_DAY + timedelta(turn, chance.randrange(40_000)):%d.%m.%Y %H:%M} Uhr</p>"


def _results(chance: Random) -> Iterator[str]:
    number = chance.randrange(300, 4_000)
    while True:
        number += chance.randrange(1, 30)
        yield f"<p>Showing 1–20 of {number:,} results</p>"


def _poster(chance: Random) -> Iterator[str]:
    posts = chance.randrange(2_000)
    while True:
        posts += chance.randrange(1, 5)
        yield f"<ul class=profile><li>{chance.choice(_NAMES[:1])}</li><li>{posts:,} posts</li><li>Oslo</li></ul>"


def _pictures(chance: Random) -> Iterator[str]:
    while True:
        lazy = f"<img src='data:image/gif;base64,R0lG' data-src='/quay.jpg?v={_mark(chance, 8)}' alt='The quay'>"
        yield f"<p>{chance.choice((lazy, '<img src=/quay-768x512.webp alt=The&#32;quay>'))}</p>"


def _island(chance: Random) -> Iterator[str]:
    while True:
        data = f'<script type="application/json" id=state>{{"build":"{_mark(chance, 12)}"}}</script>'
        yield f"{data}<style>.x-{_mark(chance, 6)}{{color:red}}</style><p class=css-{_mark(chance, 6)}>Read on.</p>"


_NOISE = {
    "users online": _online, "marks in links": _nonces, "related posts": _related, "response times": _servers,
    "price of gold": _gold, "testimonial": _testimonial, "question about cookies": _consent, "two headings": _variant,
    "countdown": _countdown, "as of": _as_of, "results": _results, "posts of a member": _poster,
    "lazy pictures": _pictures, "data and styles": _island,
}  # fmt: skip


# What somebody edits.


def _plan(chance: Random) -> Iterator[str]:
    prices = {name: chance.randrange(5, 90) for name in ("Basic", "Team", "Firm")}
    while True:
        prices[chance.choice(list(prices))] += chance.choice((-4, -2, 1, 3, 10))
        rows = "".join(f"<h4>{name}</h4><div class=price>{price}.00 EUR</div>" for name, price in prices.items())
        yield f"<section>{rows}</section>"


def _calendar(chance: Random) -> Iterator[str]:
    events = [(words(chance, 3), datetime(2027, 3, 1 + n, 19)) for n in range(4)]
    while True:
        at = chance.randrange(4)
        events[at] = events[at][0], events[at][1] + timedelta(chance.randrange(1, 5), chance.choice((0, 1_800, 3_600)))
        items = "".join(
            f"<li><time datetime='{moment:%Y-%m-%dT%H:%M:%S+01:00}'>{moment:%-d %b, %H:%M}</time> {name}</li>"
            for name, moment in events
        )
        yield f"<ul class=events>{items}</ul>"


def _changelog(chance: Random) -> Iterator[str]:
    told: list[str] = []
    for number in count(1):
        told.insert(0, f"<h3>0.{number}</h3><ul><li>{words(chance, 6)}</li><li>{words(chance, 5)}</li></ul>")
        yield "".join(told[:6])


def _incident(chance: Random) -> Iterator[str]:
    """Servers of one form, of which one is named in other words."""
    states = ["operational", "operational", "operational", "operational"]
    while True:
        at = chance.randrange(4)
        states[at] = chance.choice([one for one in ("operational", "degraded", "down") if one != states[at]])
        rows = "".join(f"<tr><td>Region {n}</td><td>{state}</td></tr>" for n, state in enumerate(states, 1))
        yield f"<table>{rows}</table>"


def _closes(chance: Random) -> Iterator[str]:
    moment = datetime(2027, 5, 1, 18)
    while True:
        moment += timedelta(chance.randrange(1, 30), chance.choice((0, 1_800, 3_600)))
        yield f"<p>Applications close {moment:%Y-%m-%d %H:%M} UTC</p>"


def _note(chance: Random) -> Iterator[str]:
    port = 8_000
    while True:
        port += chance.randrange(1, 99)
        yield f"<aside class=note aria-label=Note><p>Note</p><p>The service listens on port {port}.</p></aside>"


def _form(chance: Random) -> Iterator[str]:
    for number in count(chance.randrange(10, 90)):
        yield f"<p>Fill in <a href='/forms/show?id={number}'>the form</a> and bring it along.</p>"


def _answer(chance: Random) -> Iterator[str]:
    while True:
        said = words(chance, chance.randrange(5, 12))
        yield f"<button aria-controls=a1>May I bring a dog?</button><div id=a1 hidden><p>{said}.</p></div>"


def _limit(chance: Random) -> Iterator[str]:
    limit = chance.randrange(20, 200)
    while True:
        limit += chance.choice((-10, -5, 5, 20))
        yield f"<p>Every member may have {max(1, limit)} downloads per month.</p>"


def _stock(chance: Random) -> Iterator[str]:
    while True:
        yield f"<p class='stock in-stock'>{chance.randrange(2, 40)} in stock</p>"
        yield "<p class='stock out-of-stock'>Out of stock</p>"


def _replies(chance: Random) -> Iterator[str]:
    said: list[str] = []
    for number in count(1):
        said.append(
            f"<article id=p{number}><h5>{chance.choice(_NAMES)}</h5><p>{words(chance, 8)}, {number}.</p></article>"
        )
        yield "".join(said)


def _taken_away(chance: Random) -> Iterator[str]:
    items = [f"{words(chance, 2)} {''.join(chance.choices('bdfgk', k=4))}" for _ in range(24)]
    while True:
        yield f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
        if len(items) > 2:
            items.pop(chance.randrange(len(items)))
        else:
            items.append(f"{words(chance, 2)} {''.join(chance.choices('bdfgk', k=4))}")


_EDITS = {
    "plan": _plan, "calendar": _calendar, "changelog": _changelog, "incident": _incident, "closes": _closes,
    "note": _note, "form": _form, "answer": _answer, "limit": _limit, "stock": _stock, "replies": _replies,
    "taken away": _taken_away,
}  # fmt: skip


def _once_late(chance: Random, visits: int) -> set[int]:
    return {chance.randrange(2 * visits // 3, visits)}


def _weekly(chance: Random, visits: int) -> set[int]:
    return set(range(chance.randrange(1, 8), visits, 7))


def _first_and_then(chance: Random, visits: int) -> set[int]:
    """At the first refresh, and now and then."""
    return {1, *(turn for turn in range(3, visits) if chance.random() < 1 / 6)}


def _mended(chance: Random, visits: int) -> set[int]:
    """Edited, mended at the next visit, at rest."""
    return {turn + more for turn in range(chance.randrange(2, 9), visits - 1, 10) for more in (0, 1)}


def _frame(title: str, parts: list[str], release: str, turn: int) -> str:
    story = "\n".join(parts)
    return (
        f"<!doctype html><html lang=en><head><title>{title} | Town</title><meta name=csrf content={turn}></head><body>"
        f"<header><a href=/>Town</a></header><main><article><h1>{title}</h1>{story}<p>Made with Town {release}</p>"
        f"</article></main><footer>{turn}</footer></body></html>"
    )


TOWN = LivingWorld(
    "town", _NOISE,
    frozenset({
        "users online", "marks in links", "related posts", "response times", "testimonial", "question about cookies",
        "two headings", "lazy pictures", "data and styles",
    }),
    _EDITS,
    {"once, late": _once_late, "weekly": _weekly, "at first and then": _first_and_then, "mended": _mended},
    _frame,
)  # fmt: skip
