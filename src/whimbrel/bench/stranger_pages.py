"""More sites that a crowd visits. They were written together with the first ones, and nothing was chosen on them."""

from random import Random

from whimbrel.bench.crowd_pages import (
    NAMES,
    Counts,
    CrowdCounter,
    CrowdStyle,
    CrowdWorld,
    Facts,
    day,
    framed,
    number,
    one_of,
    one_word,
    prose,
    release,
)


def _package(title: str, facts: Facts, counts: Counts, chance: Random, turn: int) -> str:
    name = title.lower().replace(" ", "-")
    return framed(
        "Registry", name,
        f"<h1>{name}</h1><p class=lead>{facts['says']}</p><div class=cards><div class=card><h6>Version</h6>"
        f"<p>{facts['release']}</p></div>"
        f"<div class=card><h6>Licence</h6><p>{facts['licence']}</p></div><div class=card><h6>Weekly downloads</h6>"
        f"<p>{counts['downloads']:,}</p></div><div class=card><h6>Stars</h6><p>{counts['stars']}</p></div>"
        f"<div class=card><h6>Open issues</h6><p>{counts['issues']}</p></div></div>"
        f"<h2>{counts['dependents']} packages use it</h2>"
        f"<table><tr><td>Files</td><td>{facts['files']}</td></tr><tr><td>Python</td><td>&gt;= {facts['needs']}"
        f"</td></tr></table>",
    )  # fmt: skip


_PACKAGES = CrowdStyle(
    "packages",
    {"says": one_word(12), "release": release(), "licence": one_of("MIT", "BSD", "GPL 3", "Apache 2.0"),
     "files": number(4, 80, (-2, 1, 3)), "needs": number(6, 13, (-1, 1))},
    {"downloads": CrowdCounter(10, 90_000, 1.0, 7), "stars": CrowdCounter(0, 400, 0.1),
     "issues": CrowdCounter(0, 40, 0.1, -1, 0),
     "dependents": CrowdCounter(0, 90, 0.05)},
    _package,
)  # fmt: skip


def _petition(title: str, facts: Facts, counts: Counts, chance: Random, turn: int) -> str:
    last = "".join(f"<li>{chance.choice(NAMES)}, {chance.randrange(2, 50)} minutes ago</li>" for _ in range(3))
    return framed(
        "Town hall", title,
        f"<h2>{title}</h2><p>{facts['asks']}</p><p>To the <em>{facts['to']}</em></p>"
        f"<p><strong>{counts['signed']}</strong> of {facts['wanted']} wanted</p><p>Until {facts['until']}</p>"
        f"<div>Shared: {counts['shared']}</div><div>Questions (<a href=/q>{counts['asked']}</a>)</div>"
        f"<ul>{last}</ul>",
    )  # fmt: skip


_PETITIONS = CrowdStyle(
    "petitions",
    {"asks": prose(20, 40), "to": one_of("mayor", "council", "school board", "port authority"),
     "wanted": number(500, 3_000, (-200, 100, 500)), "until": day("June")},
    {"signed": CrowdCounter(0, 2_000, 0.4), "shared": CrowdCounter(0, 200, 0.2), "asked": CrowdCounter(0, 20, 0.06)},
    _petition,
)  # fmt: skip


def _house(title: str, facts: Facts, counts: Counts, chance: Random, turn: int) -> str:
    agent = f"<p>{NAMES[len(title) % 12]} has {counts['sold']} homes sold</p>"
    return framed(
        "Homes", title,
        f"<h1>{title}</h1><div class=facts><span>{facts['rooms']} rooms</span> <span>{facts['size']} m²</span></div>"
        f"<div class=rent>{facts['rent']}</div><p>{facts['text']}</p>"
        f"<p class=seen>{counts['likers']} people have this on their list</p>"
        f"<p>Requests so far: {counts['requests']}</p>{agent}<p>Viewing on {facts['viewing']}</p>"
        f"<p>Listed for {turn + len(title)} days</p>",
    )  # fmt: skip


_HOUSES = CrowdStyle(
    "houses",
    {"rooms": number(1, 7, (-1, 1, 2)), "size": number(30, 160, (-5, 3, 10)),
     "rent": number(400, 2_400, (-50, 30, 100)), "text": prose(15, 40), "viewing": day("March")},
    {"likers": CrowdCounter(0, 80, 0.3), "requests": CrowdCounter(0, 40, 0.2), "sold": CrowdCounter(0, 300, 0.02)},
    _house,
)  # fmt: skip

STRANGERS = CrowdWorld("strangers", (_PACKAGES, _PETITIONS, _HOUSES))
