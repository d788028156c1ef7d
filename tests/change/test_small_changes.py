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
    "struck out": ("<p>Open on Sundays</p>", "<p><s>Open on Sundays</s></p>", "content"),
    "a moment that was set": (
        "<td>Opening night<td>2027-05-01 19:00", "<td>Opening night<td>2027-05-08 19:00", "content",
    ),
    "a deadline to the second": (
        "<p>Send it by 2027-05-01 23:59:59 UTC</p>", "<p>Send it by 2027-05-15 23:59:59 UTC</p>", "content",
    ),
    "a moment for machines": (
        "<p>Concert <time datetime='2027-05-01T18:00:00Z'>May 1</time></p>",
        "<p>Concert <time datetime='2027-05-08T18:00:00Z'>May 8</time></p>", "content",
    ),
    "an hour for machines": (
        "<p>Doors <time datetime='2027-05-01T18:00+02:00'>6 pm</time></p>",
        "<p>Doors <time datetime='2027-05-01T19:30+02:00'>7:30 pm</time></p>", "content",
    ),
    "how long it took": ("<p>Record: 2:00:35</p>", "<p>Record: 1:59:12</p>", "content"),
    "a voucher": ("<p>Use X7K2-M9Q4-T1B8</p>", "<p>Use P3J8-W2N6-R5D4</p>", "content"),
    "so many a month": ("<p>50 downloads per month</p>", "<p>30 downloads per month</p>", "content"),
    "how many are wanted": ("<p>We need 40 readers for it.</p>", "<p>We need 60 readers for it.</p>", "content"),
    "when a meal is served": ("<p>Dinner is served at 19:00</p>", "<p>Dinner is served at 18:30</p>", "content"),
    "today's dish": ("<p>Today: soup for 5 euros</p>", "<p>Today: soup for 7 euros</p>", "content"),
    "a note aside": (
        "<aside class=note><p>It listens on port 8080.</p></aside>",
        "<aside class=note><p>It listens on port 9090.</p></aside>", "content",
    ),
    "a film by its name": (
        "<iframe src='https://video.example/1' title='Talk by Ann'></iframe>",
        "<iframe src='https://video.example/2' title='Talk by Bob'></iframe>", "content",
    ),
    "a story by its number": ("<a href='/story?sid=12'>Story</a>", "<a href='/story?sid=13'>Story</a>", "content"),
    "a section on related work": (
        "<section id=related-work><p>As Lee has shown.</p></section>",
        "<section id=related-work><p>As Kim has shown.</p></section>", "content",
    ),
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


@pytest.mark.parametrize("main", [True, False])
@pytest.mark.parametrize("box", ["<p class=notice>{}</p>", "<div><div class=top>{}</div></div>"])
def test_a_notice_beside_the_main_part_is_told(box: str, main: bool) -> None:
    came = compare(article(main=main), article(around=box.format("This page is no longer maintained."), main=main))
    assert [spot.after for spot in came.where] == ["This page is no longer maintained."]
    other = compare(
        article(around=box.format("Supported until May."), main=main),
        article(around=box.format("Not supported any more."), main=main),
    )
    assert [(spot.before, spot.after) for spot in other.where] == [("Supported until May.", "Not supported any more.")]


def test_links_beside_the_main_part_are_around_it() -> None:
    before, after = (f"<div class=box><a href=/a>One</a> <a href=/{last}>{last}</a></div>" for last in ("two", "three"))
    assert not compare(article(around=before), article(around=after)).where
    assert compare(article(around=before, main=False), article(around=after, main=False)).where
