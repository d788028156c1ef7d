"""A wiki writes under each page where this very revision of it was read: that number is no change."""

from article import article

from whimbrel.change.decide import decide
from whimbrel.change.version import read_version
from whimbrel.records.change import Change


def compare(page: str, before: str, after: str) -> Change:
    old, new = (
        read_version(article(inside).encode(), "text/html; charset=utf-8", address=page) for inside in (before, after)
    )
    return decide(old, new)


def retrieved(address: str) -> str:
    return f'<div>Retrieved from "<a href="{address}">{address}</a>"</div>'


WIKI = "http://wiki.example/w/index.php?title=Whimbrel"


def test_the_number_of_a_pages_own_revision_is_no_change() -> None:
    for page in ("http://wiki.example/wiki/Whimbrel", "http://wiki.example/w/index.php?title=Whimbrel"):
        change = compare(page, retrieved(f"{WIKI}&oldid=17"), retrieved(f"{WIKI}&oldid=23"))
        assert (change.changed, len(change.noise)) == (False, 1), page
    permanent = "<p><a href='/w/index.php?title=Whimbrel&amp;oldid={}'>Permanent link</a></p>"
    assert not compare("http://wiki.example/wiki/Whimbrel", permanent.format(17), permanent.format(23)).changed
    own = "http://wiki.example/wiki/Whimbrel"
    assert not compare(own, retrieved(f"{own}?revision=17"), retrieved(f"{own}?revision=23")).changed


def test_a_number_that_names_another_page_is_told() -> None:
    here = "http://shop.example/index.php"
    link = "<p><a href='/index.php?id={}'>Offer of the day</a></p>"
    assert compare(here, link.format(17), link.format(23)).changed
    assert compare("http://shop.example/", link.format(17), link.format(23)).changed
    assert compare(f"{here}?id=3", link.format(17), link.format(23)).changed
    curlew = "http://wiki.example/w/index.php?title=Curlew&oldid="
    assert compare("http://wiki.example/wiki/Whimbrel", retrieved(f"{curlew}17"), retrieved(f"{curlew}23")).changed


def test_words_beside_the_number_are_told() -> None:
    page = "http://wiki.example/wiki/Whimbrel"
    before, after = (f"<p>{words} <a href='{WIKI}&oldid={n}'>{WIKI}&oldid={n}</a></p>" for words, n in
                     (("Read at", 17), ("Checked at", 23)))  # fmt: skip
    assert compare(page, before, after).changed
    assert compare("", retrieved(f"{WIKI}&oldid=17"), retrieved(f"{WIKI}&oldid=23")).changed, "nobody said which page"
