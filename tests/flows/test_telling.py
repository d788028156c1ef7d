"""What is told of a blog: posts with their words, and the lists that only show them folded beneath."""

import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from folders import crawl, refreshed
from whimbrel.flows.packing import packed_spots
from whimbrel.flows.telling.differing import Difference, difference
from whimbrel.flows.telling.news import NewsFilter, chosen, pending
from whimbrel.flows.telling.wording import plainly, shortened, words_between
from whimbrel.records.change import Change, Spot
from whimbrel.records.url import Url
from whimbrel.repository.embedded.news import BATCH, News
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

STORIES = {
    "crabs": (
        "Crabs at low water",
        "Shore crabs hide under weed while the tide is out. They come back with the flood.",
    ),
    "moors": (
        "Birds of the moors",
        "In May the moors are loud with song. Nests lie open among cotton grass and heather.",
    ),
    "nets": ("Ringing with nets", "We set the nets before dawn. Every bird gets a ring and is weighed in a paper bag."),
    "storm": (
        "After the storm",
        "The gale of last week moved the sandbank. Seals now rest two hundred metres further.",
    ),
    "eggs": (
        "Four eggs in a scrape",
        "A pair chose the dry bank. Four eggs were counted on Sunday, warm and speckled.",
    ),
}
ENTRIES = 3


def html(title: str, body: str, links: Mapping[str, str] = {}) -> Reply:
    menu = "<nav><a href=/>Start</a> <a href=/archive>Archive</a> <a href=/feed>Feed</a></nav>"
    more = "".join(f"<p><a href='{to}'>{words}</a></p>" for to, words in links.items())
    return Reply(f"<!doctype html><title>{title}</title>{menu}<main><h1>{title}</h1>{body}{more}</main>".encode())


def blog(stories: Mapping[str, tuple[str, str]], welcome: str = "Notes from the estuary.") -> dict[str, Reply]:
    """The start page teases the newest three, the archive the rest; a shelf of links belongs to neither."""
    newest = list(stories.items())[::-1]

    def teased(some: list[tuple[str, tuple[str, str]]]) -> str:
        return "".join(
            f"<h2><a href=/{name}>{title}</a></h2><p>{text.partition('.')[0]} […]</p><p><a href=/{name}>Read on</a></p>"
            for name, (title, text) in some
        )

    pages = {f"/{name}": html(title, f"<p>{text}</p>") for name, (title, text) in stories.items()}
    pages["/"] = html("Estuary", f"<p>{welcome}</p>{teased(newest[:ENTRIES])}")
    pages["/archive"] = html("Archive", f"<p>Older notes.</p>{teased(newest[ENTRIES:])}")
    entries = "".join(
        f"<item><title>{title}</title><link>@/{name}</link><description>{text}</description></item>"
        for name, (title, text) in newest
    )
    feed = f"<rss version='2.0'><channel><title>Estuary</title>{entries}</channel></rss>"
    pages["/feed"] = Reply(feed.encode(), content_type="application/rss+xml")
    return pages


class Blog:
    def __init__(self, web: TinyWeb, folder: Path) -> None:
        self.web, self.folder = web, folder

    def show(self, pages: Mapping[str, Reply]) -> None:
        self.web.pages.clear()
        feed = pages["/feed"]
        written = Reply(feed.body.replace(b"@", self.web.url("").encode()), content_type=feed.content_type)
        self.web.pages.update({**pages, "/feed": written})

    def crawl(self) -> None:
        crawl(self.folder, self.web.url("/"), migrants=1)

    def refresh(self, gone_after: float = 0.0, *, unread: bool = False) -> None:
        asked = {"refresh.gone_after_seconds": gone_after, "refresh.tell_unread": unread}
        refreshed(self.folder, asked)

    def told(self) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
        """What happened, where it is shown too, and what it is due to."""
        with News(self.folder) as news:
            return {
                (item.told.what, self.path(item.told.url)): (
                    [*map(self.path, item.also_on)],
                    [*map(self.path, item.because_of)],
                )
                for item in chosen(news, NewsFilter())
            }

    def path(self, url: str) -> str:
        return url.removeprefix(self.web.url(""))

    def difference(self, path: str) -> Difference:
        url = Url(self.web.url(path))
        with News(self.folder) as news:
            before, after = news.versions(url)[-2:]
            found = difference(news, url, before, after)
        assert isinstance(found, Difference)
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Blog]:
    with TinyWeb({}) as web:
        blog_ = Blog(web, tmp_path / "folder")
        blog_.show(blog(dict(list(STORIES.items())[:4])))
        blog_.crawl()
        yield blog_


def test_lists_are_folded_under_a_new_post(site: Blog) -> None:
    site.show(blog(STORIES))
    site.refresh()
    assert site.told() == {
        ("new", "/eggs"): (["/", "/archive", "/feed"], []),
        ("changed", "/"): ([], ["/eggs"]),
        ("changed", "/feed"): ([], ["/eggs"]),
        ("changed", "/archive"): ([], ["/eggs"]),
    }


def test_a_list_that_says_more_stands_for_itself(site: Blog) -> None:
    site.show(blog(STORIES, welcome="Notes from the estuary. The hide is closed until further notice."))
    site.refresh()
    told = site.told()
    assert told["changed", "/"] == ([], [])
    assert "/" not in told["new", "/eggs"][0]


def test_lists_are_folded_under_an_edited_post(site: Blog) -> None:
    title, _ = STORIES["moors"]
    site.show(
        blog(
            {**dict(list(STORIES.items())[:4]), "moors": (title, "In June the moors fell silent. All nests are empty.")}
        )
    )
    site.refresh()
    echo: tuple[list[str], list[str]] = ([], ["/moors"])
    assert site.told() == {
        ("changed", "/moors"): (["/", "/feed"], []), ("changed", "/"): echo, ("changed", "/feed"): echo,
    }  # fmt: skip


def test_lists_are_folded_under_a_post_that_went(site: Blog) -> None:
    site.show(blog({name: STORIES[name] for name in ("crabs", "moors", "storm")}))
    site.refresh()
    told = site.told()
    assert told["gone", "/nets"][0] == ["/", "/archive", "/feed"]
    assert told["changed", "/"] == ([], ["/nets"])


def test_two_rounds_are_folded_each_by_itself(site: Blog) -> None:
    site.show(blog(STORIES))
    site.refresh()
    further = {
        **STORIES,
        "fog": ("A week of fog", "Nobody saw the far bank. Curlews called from somewhere in the white."),
    }
    site.show(blog(further))
    site.refresh()
    with News(site.folder) as news:
        items = list(chosen(news, NewsFilter()))
    assert [site.path(item.told.url) for item in items if not item.because_of] == ["/fog", "/eggs"]
    assert all([*map(site.path, item.also_on)] == ["/", "/archive", "/feed"] for item in items if not item.because_of)


def test_pages_that_wait_to_be_gone_are_named(site: Blog) -> None:
    del site.web.pages["/storm"]
    site.refresh(gone_after=86_400.0)
    with News(site.folder) as news:
        waiting = list(pending(news, NewsFilter()))
        assert [(item.told.what, site.path(item.told.url)) for item in waiting] == [("missing", "/storm")]
        assert "404" in waiting[0].told.reason
        assert waiting[0].asked_again_at == pytest.approx(waiting[0].told.at + 86_400.0, abs=60)
        assert list(pending(news, NewsFilter(kinds=frozenset({"new"})))) == []
        assert ("gone", "/storm") not in site.told()


def edited(site: Blog, path: str, edit: Callable[[bytes], bytes]) -> Difference:
    reply = site.web.pages[path]
    assert isinstance(reply, Reply)
    site.web.pages[path] = Reply(edit(reply.body))
    site.refresh(unread=True)
    assert ("changed", path) in site.told()
    return site.difference(path)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b"</main>", b"<hr></main>", "elements"),
        (b"<h1>", b"<h1 class=loud>", "looks"),
        (b"<h1>", b"<img src=/gull.jpg><h1>", "pictures"),
        (b"<main>", b"<script>ring()</script><main>", "code"),
    ],
)
def test_a_told_change_is_never_an_empty_difference(site: Blog, old: bytes, new: bytes, what: str) -> None:
    found = edited(site, "/storm", lambda body: body.replace(old, new))
    assert found.change.changed
    assert what in [part.what for place in found.counted for part in place.parts]


def test_noise_is_said_as_such_beside_what_was_told(site: Blog) -> None:
    def edit(body: bytes) -> bytes:
        return body.replace(b"two hundred", b"three hundred").replace(b"</nav>", b"<a href=/shop>Shop</a></nav>")

    found = edited(site, "/storm", edit)
    assert [plainly(part.words) for part in found.counted[0].parts] == [
        "The gale of last week moved the sandbank. Seals now rest -[two] +[three] hundred metres further."
    ]
    assert [(place.reason, place.spot.after) for place in found.held] == [("outside the main part", "Shop")]


def test_what_a_change_was_told_for_outlives_what_is_learned_later(site: Blog) -> None:
    """Other versions and neighbours may call it noise today; it was told, and is shown."""
    edited(site, "/storm", lambda body: body.replace(b"two hundred", b"three hundred"))
    database = sqlite3.connect(site.folder / "crawl.sqlite")
    quiet = Change(True, ("content",), 0.5, (Spot("removed", ("content",), "p 9", "Once.", "", 0.5),), ())
    with database:
        database.execute("UPDATE change SET details = ?", (packed_spots(quiet),))
    database.close()
    found = site.difference("/storm")
    assert [place.spot.place for place in found.counted][-1] == "p 9"
    assert found.change.amount > 0


def test_plain_documents_are_compared_by_what_can_be_read(site: Blog) -> None:
    feed = "<rss version='2.0'><channel><title>Notes</title><item><title>{}</title></item></channel></rss>"
    kind = "application/rss+xml"
    site.web.pages["/notes"] = Reply(feed.format("Seals on the bank").encode(), content_type=kind)
    storm = site.web.pages["/storm"]
    assert isinstance(storm, Reply)
    site.web.pages["/storm"] = Reply(storm.body.replace(b"</main>", b"<a href=/notes>Notes</a></main>"))
    site.refresh()
    site.web.pages["/notes"] = Reply(feed.format("Seals on the pier").encode(), content_type=kind)
    site.refresh()
    found = site.difference("/notes")
    assert "-[bank] +[pier]" in " ".join(plainly(part.words) for place in found.counted for part in place.parts)


def test_memory_does_not_grow_with_what_happened(site: Blog) -> None:
    many, details = 8 * BATCH, packed_spots(
        Change(True, ("content",), 0.1, (Spot("added", ("content",), "p 1", "", "x" * 400, 0.1),) * 10, ())
    )  # fmt: skip
    database = sqlite3.connect(site.folder / "crawl.sqlite")
    with database:
        database.executemany(
            "INSERT INTO change (url, at, what, kinds, amount, details) SELECT id, ?, 'moved', 'content', 0.1, ?"
            " FROM url WHERE asset = 0 LIMIT 1",  # which URL comes first depends on the port
            [(float(at), details) for at in range(many)],
        )
    database.close()
    with News(site.folder) as news:
        tracemalloc.start()
        count = sum(1 for _ in chosen(news, NewsFilter()))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert count == many
    assert peak < many * len(details) / 2


def test_words_apart_and_in_a_line() -> None:
    before = "one two three four five six seven eight nine ten eleven"
    words = words_between(before, before.replace("six", "half a dozen"))
    assert plainly(words) == "one two three four five -[six] +[half a dozen] seven eight nine ten eleven"
    assert plainly(shortened(words, 80)) == "… two three four five -[six] +[half a dozen] seven eight nine ten …"
    assert plainly(shortened(words, 40)) == "… five -[six] +[half a dozen] seven …"
    pair = words_between(f"{'so ' * 60}one", f"{'and ' * 60}one")
    assert [run.sign for run in shortened(pair, 60)] == ["-", "+", " "], "what came in its place is always shown"
    middle = words_between("a x1 b c d e f g h i j k y1", "a x2 b c d e f g h i j k y2")
    assert plainly(shortened(middle, 200)) == "a -[x1] +[x2] b c d e … h i j k -[y1] +[y2]"
    long = words_between("", "word " * 200)
    assert len(plainly(shortened(long, 60))) <= 64
    assert plainly(words_between("all other", "quite different")) == "-[all other] +[quite different]"
