"""Whose turn it is among tasks of kinds that may not be worth asking for."""

from whimbrel.frontier.kinds import UrlKinds
from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.home.trials import Trials, Turn
from whimbrel.migrants.home.window import Place
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import KnownUrl, Lease
from whimbrel.urls.normal import key as key_of

LANE = 1
PAGES = 12


def view(number: int, verb: str) -> Url:
    return Url(f"http://wiki.example/i.php?title=T{number}&{verb}=1")


def place(url: Url) -> Place:
    known = KnownUrl(key_of(url), url, LANE, 1, 0, 0, 0, Outcome.DISCOVERED, "", None, None, 0, 0)
    return Lease(LANE, 0, 0, known.key, 0), known


class TriedSite:
    """Kept pages with views of them: what waits, and what goes out when it is a turn's time."""

    def __init__(self, pages: int = PAGES) -> None:
        self.kinds = UrlKinds()
        self.trials = Trials(self.kinds)
        self.book = LaneBook(LANE, "wiki.example", False)
        self.migrant = Proxy("m1", MigrantPlace(), "", 0.0)
        self.pages = pages
        for number in range(pages):
            self.kinds.visited(Url(f"http://wiki.example/wiki/T{number}"), True)

    def link(self, *verbs: str) -> None:
        for number in range(self.pages):
            for verb in verbs:
                self.kinds.judge(view(number, verb))

    def in_vain(self, verb: str, count: int) -> None:
        for number in range(count):
            self.kinds.visited(view(number, verb), False)

    def wait(self, *urls: Url) -> None:
        for url in urls:
            assert not self.trials.has_room(*place(url), self.book)

    def goes(self, turn: Turn) -> list[Url]:
        """What goes out, leased as the ledger would."""
        out = []
        for lease, known in self.trials.waiting(self.book, (), turn):
            if self.trials.has_room(lease, known, self.book, turn) and self.kinds.judge(known.url).accepted:
                self.trials.begin(known, self.book)
                self.book.lease(lease.key, self.migrant)
                out.append(known.url)
        return out

    def come_home(self, url: Url) -> None:
        self.book.free(place(url)[0])
        self.kinds.visited(url, False)
        self.trials.learned()


def test_the_kind_of_which_least_is_known_goes_first() -> None:
    site = TriedSite(pages=60)
    site.link("edit", "info")
    site.in_vain("edit", 2)
    site.in_vain("info", 1)
    site.wait(view(8, "edit"), view(9, "info"))
    assert site.goes(Turn.DOUBTFUL) == [view(9, "info")]
    assert site.goes(Turn.DOUBTFUL) == [], "what it says is not known yet"
    site.come_home(view(9, "info"))
    assert site.goes(Turn.DOUBTFUL) == [view(8, "edit")]


def test_what_need_not_be_asked_for_waits_until_all_is_done() -> None:
    site = TriedSite()
    site.link("edit")
    site.in_vain("edit", 5)
    site.wait(view(8, "edit"))
    assert not site.trials.is_turn(site.book, Turn.SPARED)
    assert site.trials.all_done(True) == [LANE]
    assert site.trials.is_turn(site.book, Turn.SPARED)
    assert site.trials.all_done(True) == [], "it is known"
    assert site.trials.all_done(False) == []
    assert not site.trials.is_turn(site.book, Turn.SPARED), "a feed named something"
