"""Changes that are small and real: every one is told, with history and neighbours that were quiet."""

import pytest
from article import article, compare

DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
OTHER_DIGEST = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"

CHANGES = {
    "a price": ("<p>Price: 49.90 EUR</p>", "<p>Price: 44.90 EUR</p>", "content"),
    "one digit in a table": (
        "<table><tr><td>Crabs<td>17<tr><td>Worms<td>4</table>", "<table><tr><td>Crabs<td>18<tr><td>Worms<td>4</table>",
        "content",
    ),
    "a target of a link": ("<p><a href=/map/17>Map</a></p>", "<p><a href=/map/18>Map</a></p>", "content"),
    "a query that names another thing": (
        "<p><a href='/bird?id=17'>Bird</a></p>", "<p><a href='/bird?id=18'>Bird</a></p>", "content",
    ),
    "a link to another document": (
        "<a href='https://docs.example.org/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit'>Sheet</a>",
        "<a href='https://docs.example.org/d/1Qz8aVt1YSB6oGNeLwCeCAkhnVVrqumct85PhwF3vqnt/edit'>Sheet</a>",
        "content",
    ),
    "a place on another page": ("<a href='/rules#fees'>Rules</a>", "<a href='/rules#fines'>Rules</a>", "content"),
    "an image": ("<img src=/i/adult.jpg alt=Bird>", "<img src=/i/chick.jpg alt=Bird>", "presentation"),
    "an image by its number": (
        "<img src='/image.php?id=12' alt=Bird>", "<img src='/image.php?id=13' alt=Bird>", "presentation",
    ),
    "an image at another host": (
        "<img src='http://0.gravatar.com/avatar/8f3a' alt=''>", "<img src='http://0.spies.example/avatar/8f3a' alt=''>",
        "presentation",
    ),
    "an image at another part of its domain": (
        "<img src='//img1.example.org/b.jpg' alt=''>", "<img src='//old1.example.org/b.jpg' alt=''>", "presentation",
    ),
    "somebody else's site beside a numbered one": (
        "<a href='https://bird1.github.io/'>Birds</a>", "<a href='https://bird2.github.io/'>Birds</a>", "content",
    ),
    "an address of numbers": ("<a href='http://192.0.2.1/'>Map</a>", "<a href='http://192.0.2.7/'>Map</a>", "content"),
    "what an image shows": ("<img src='/b.jpg?v=1' alt=Adult>", "<img src='/b.jpg?v=1' alt=Chick>", "content"),
    "an image that came": ("", "<img src=/i/chick.jpg>", "presentation"),
    "another film": (
        "<iframe src='https://video.example/embed/dQw4w9WgXcQ'></iframe>",
        "<iframe src='https://video.example/embed/oHg5SJYRHA0'></iframe>", "presentation",
    ),
    "a date that is the news": ("<p>Release: 3 May 2027</p>", "<p>Release: 17 May 2027</p>", "content"),
    "a deadline": ("<p>Open until 17:00 on 3 May</p>", "<p>Open until 18:00 on 3 May</p>", "content"),
    "a paragraph that went": ("<p>They return in April.</p>", "", "content"),
    "an item that came": ("<ul><li>Crabs<li>Worms</ul>", "<ul><li>Crabs<li>Worms<li>Berries</ul>", "content"),
    "one word": ("<p>You may share the data.</p>", "<p>You must share the data.</p>", "content"),
    "one not": ("<p>We do sell your data.</p>", "<p>We do not sell your data.</p>", "content"),
    "a sign": ("<p>A loss of −4 %</p>", "<p>A loss of 4 %</p>", "content"),
    "capitals": ("<p>no refunds</p>", "<p>NO REFUNDS</p>", "content"),
    "a version": ("<p>Current version: 2.4.1</p>", "<p>Current version: 2.4.2</p>", "content"),
    "a model": ("<h2>Phone15ProMax256GB</h2>", "<h2>Phone15ProMax512GB</h2>", "content"),
    "a digest of a file": (
        f"<p>SHA-256 <code>{DIGEST}</code></p>", f"<p>SHA-256 <code>{OTHER_DIGEST}</code></p>", "content",
    ),
    "what a button says": (
        "<form action=/b><input type=submit value='Buy now'></form>",
        "<form action=/b><input type=submit value='Sold out'></form>", "content",
    ),
    "what a handler does": ("<p onclick='open(1)'>More</p>", "<p onclick='shut(1)'>More</p>", "behavioural"),
    "where a form goes": ("<form action=/pay><input></form>", "<form action=/give><input></form>", "behavioural"),
    "what a script calls": ("<script>send('/api/one')</script>", "<script>send('/api/two')</script>", "behavioural"),
    "a script that came": ("", "<script src=https://stat.example/t.js></script>", "behavioural"),
    "a colour": ("<p style=color:red>Hot</p>", "<p style=color:blue>Hot</p>", "presentation"),
    "a size": ("<p style=font-size:12px>Hot</p>", "<p style=font-size:19px>Hot</p>", "presentation"),
    "a class": ("<p class=warning>Hot</p>", "<p class=hint>Hot</p>", "presentation"),
    "one class more": ("<p class=price>9</p>", "<p class='price sale'>9</p>", "presentation"),
    "bold": ("<p>Never feed them</p>", "<p><b>Never</b> feed them</p>", "presentation"),
    "struck out": ("<p>Open on Sundays</p>", "<p><s>Open on Sundays</s></p>", "presentation"),
    "a rule between": ("", "<hr>", "presentation"),
    "two paragraphs swapped": ("<p>Alpha first<p>Beta second", "<p>Beta second<p>Alpha first", "structural"),
    "a rank of a heading": ("<h3>Food</h3>", "<h2>Food</h2>", "structural"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHANGES)
def test_a_small_change_is_told(kind: str) -> None:
    before, after, expected = CHANGES[kind]
    found = compare(article(before), article(after))
    assert expected in found.kinds


@pytest.mark.parametrize("kind", CHANGES)
def test_a_quiet_history_and_neighbours_hide_nothing(kind: str) -> None:
    before, after, expected = CHANGES[kind]
    neighbours = [article(f"<p>{word}</p>").replace("himbrel", word) for word in ("urlew", "nipe", "unlin")]
    found = compare(article(before), article(after), [article(before)] * 3, neighbours)
    assert expected in found.kinds


def test_an_edit_is_told_beside_noise() -> None:
    before = article("<p>12 views</p><p class=Card_x__3xK9d>Open on Sundays</p>")
    after = article("<p>15 views</p><p class=Card_x__a81Qz>Open on Mondays</p>")
    assert [spot.after for spot in compare(before, after).where] == ["Open on Mondays"]
