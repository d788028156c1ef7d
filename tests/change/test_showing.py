"""A change that is told has something to show, whatever it was told for."""

import pytest
from article import article, compare

from whimbrel.records.change import Aspect

SHOWN = {
    "links": ("<p><a href=/map/1>Map</a></p>", "<p><a href=/map/2>Map</a></p>", Aspect("links", "/map/1", "/map/2")),
    "links in another order": (
        "<p><a href=/a>x</a> <a href=/b>x</a></p>", "<p><a href=/b>x</a> <a href=/a>x</a></p>",
        Aspect("links", "/a /b", "/b /a"),
    ),
    "one link more to the same page": (
        "<p><a href=/a>x</a> x</p>", "<p><a href=/a>x</a> <a href=/a>x</a></p>", Aspect("links", "", "/a"),
    ),
    "pictures": ("<p><img src=/a.jpg>Bird</p>", "<p><img src=/b.jpg>Bird</p>", Aspect("pictures", "/a.jpg", "/b.jpg")),
    "a picture that came": ("", "<p><img src=/b.jpg alt=Bird></p>", Aspect("pictures", "", "/b.jpg Bird")),
    "a link behind a time that passes": (
        "<p>3 hours ago, <a href=/map/17>map</a></p>", "<p>5 hours ago, <a href=/map/18>map</a></p>",
        Aspect("links", "/map/17", "/map/18"),
    ),
    "elements around it": ("<h3>Food</h3>", "<h2>Food</h2>", Aspect("elements", "main/h3", "main/h2")),
    "a rule": ("", "<hr>", Aspect("elements", "", "<hr>")),
    "looks": ("<p class=warning>Hot</p>", "<p class=hint>Hot</p>", Aspect("looks", "warning", "hint")),
}  # fmt: skip


@pytest.mark.parametrize("kind", SHOWN)
def test_what_raised_the_alarm_is_shown(kind: str) -> None:
    before, after, expected = SHOWN[kind]
    change = compare(article(before), article(after))
    assert expected in [aspect for spot in change.where for aspect in spot.aspects]
