"""What hearing readers costs: notes taken in over HTTP, patterns mined, opinions worked out, answers made with them."""

import http.client
import itertools
import json
import random
import re
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path

from msgspec import Struct

from whimbrel.behaviour.patterns import frequent_sets
from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.readers_world import Candidates
from whimbrel.bench.search_latency import served
from whimbrel.readers.contract import MOST_A_DAY, Bundle, Did
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.voices import Voices
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.contract import SearchSettings
from whimbrel.urls.normal import key as key_of

BATCH = 50
SENDERS = 8
PERSON = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
BASKETS = 100_000
LEAST_SHARE = 0.01
MINED_PAGES = 20_000
MINED_EVENTS = 1_000_000
WORDS_OF_A_PAGE = 500
READERS = 400
QUESTIONS = 2_000
DONE = (Action.SCROLL, Action.COPY, Action.ACTIVE, Action.CLICK, Action.HYPERLINK)
ASKED_TWICE = 400
"""Queries that are asked with and without what readers did."""


class NotesTaken(Struct, frozen=True):
    """Notes sent in batches of fifty and acknowledged, by how many readers, and what the server spent on it."""

    events: int
    readers: int
    seconds: float
    cpu_seconds: float
    lost: int

    @property
    def a_cpu_second(self) -> float:
        return self.events / max(1e-9, self.cpu_seconds)


class Worked(Struct, frozen=True):
    """Seconds of CPU: frequent sets of a hundred thousand baskets, and whether another way finds the same; opinions of
    twenty thousand pages from a log of a million notes, reading it included."""

    baskets_seconds: float
    sets: int
    sets_otherwise: int
    sets_differing: int
    pages: int
    events: int
    opinions_seconds: float


class Slower(Struct, frozen=True):
    """Milliseconds of CPU of a query, the 95th percentile, without readers and with them, asked in turns."""

    queries: int
    without: float
    with_readers: float

    @property
    def ratio(self) -> float:
        return self.with_readers / max(1e-9, self.without)


# Notes over HTTP.


class _Browser:
    """A reader who said yes, on one connection that is kept alive."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=60)
        self._cookies: dict[str, str] = {}
        self.token = ""
        self._get("/crawl")
        self._get("/crawl")
        self._ask("POST", "/consent", urllib.parse.urlencode({"answer": "yes", "back": "/", "token": self.token}),
                  "application/x-www-form-urlencoded")  # fmt: skip

    def view(self, url: Url, query: str) -> dict[str, object]:
        """What a page that is shown tells its script."""
        shown = self._get(f"/read?{urllib.parse.urlencode({'url': url, 'q': query})}")
        told = {name: re.search(rf' data-{name}="([^"]*)"', shown) for name in ("url", "v", "q", "seal")}
        values = {name: unescape(found[1]) for name, found in told.items() if found is not None}
        return {**values, "v": int(values["v"])}

    def send(self, body: str) -> None:
        said = json.loads(self._ask("POST", "/events", body, "application/json"))
        if not said.get("new"):
            raise MissingTool(f"a batch was not taken: {said}")

    def close(self) -> None:
        self._connection.close()

    def _get(self, path: str) -> str:
        said = self._ask("GET", path)
        token = re.search(r'data-token="([0-9a-f]*)"', said)
        self.token = token[1] if token is not None else self.token
        return said

    def _ask(self, method: str, path: str, body: str | None = None, kind: str = "text/plain") -> str:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        headers = {"User-Agent": PERSON, "Cookie": cookies, "Content-Type": kind}
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        for given in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = given.partition(";")[0].partition("=")
            self._cookies[name] = value
        return answer.read().decode()


def ingest(folder: Path, questions: Sequence[Candidates], events: int, say: Say) -> NotesTaken:
    """Every batch is on the disk before it is answered; what the log holds afterwards is counted."""
    batches = events // BATCH
    with ReaderLog(folder) as log:
        before = _told_by_browsers(log)
    with served(folder) as (address, cpu_seconds):
        # One reader does no more in a day than a person.
        browsers = [_Browser(address) for _ in range(max(SENDERS, -(-2 * events // MOST_A_DAY)))]
        shares = [range(at, batches, len(browsers)) for at in range(len(browsers))]
        told = [(one, _bodies(one, questions, share)) for one, share in zip(browsers, shares, strict=True)]
        spent, began = cpu_seconds(), time.perf_counter()
        senders = [threading.Thread(target=_send, args=(told[at::SENDERS],)) for at in range(SENDERS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        seconds, spent = time.perf_counter() - began, cpu_seconds() - spent
        for one in browsers:
            one.close()
    with ReaderLog(folder) as log:
        kept = _told_by_browsers(log) - before
    taken = NotesTaken(batches * BATCH, len(browsers), seconds, spent, batches * BATCH - kept)
    say(f"{taken.events:,} notes taken in: {taken.a_cpu_second:,.0f} a second of CPU")
    return taken


def _send(told: Sequence[tuple[_Browser, list[str]]]) -> None:
    for one, bodies in told:
        for body in bodies:
            one.send(body)


def _bodies(one: _Browser, questions: Sequence[Candidates], batches: range) -> list[str]:
    question = questions[batches.start % len(questions)]
    view = one.view(question.urls[0], question.query)
    kinds = itertools.cycle(("scroll", "copy", "active", "click", "key_down"))
    deeds = [[kind, 1, 1000.0 + at] for at, kind in zip(range(BATCH), kinds, strict=False)]
    told = {"token": one.token, "sent": 2000.0, "deeds": deeds, "place": 0.5, **view}
    return [json.dumps({**told, "batch": f"batch-of-the-bench-{number:09}"}) for number in batches]


def _told_by_browsers(log: ReaderLog) -> int:
    with log.reading() as database:
        return int(database.execute("SELECT count(*) FROM deed WHERE action < 19").fetchone()[0])


# Working it out.


def worked(work: Path, seed: int, say: Say) -> Worked:
    chance = random.Random(seed)
    items = list(range(19))
    baskets = [frozenset(chance.choices(items, [1 / (item + 1) for item in items], k=5)) for _ in range(BASKETS)]
    least = int(LEAST_SHARE * BASKETS)
    began = time.process_time()
    found = frequent_sets(baskets, least)
    seconds = time.process_time() - began
    sets = {frozenset(items): count for items, count in found.items()} if isinstance(found, dict) else {}
    otherwise = counted_otherwise(baskets, least)
    differing = len(sets.items() ^ otherwise.items())
    say(f"{len(sets):,} frequent sets in {seconds:.2f} s of CPU, {differing} of them otherwise by counting")
    spent = _opinions(work / "mined", chance)
    say(f"opinions of {MINED_PAGES:,} pages from {MINED_EVENTS:,} notes in {spent:.1f} s of CPU")
    return Worked(seconds, len(sets), len(otherwise), differing, MINED_PAGES, MINED_EVENTS, spent)


def counted_otherwise(baskets: Sequence[frozenset[int]], least: int) -> dict[frozenset[object], int]:
    """The same by counting every part of every basket; equal baskets together."""
    counts: Counter[frozenset[object]] = Counter()
    for basket, times in Counter(baskets).items():
        for size in range(1, len(basket) + 1):
            for part in itertools.combinations(sorted(basket), size):
                counts[frozenset(part)] += times
    return {part: count for part, count in counts.items() if count >= least}


def _opinions(folder: Path, chance: random.Random) -> float:
    """Eight readers a page who did five things each, and ten who were shown it."""
    with ReaderLog(folder) as log:
        for reader in range(1, READERS + 1):
            log.join(f"reader-{reader}", f"place-{reader}", 0.0)
        for first in range(0, MINED_PAGES, 1_000):
            pages = [Url(f"http://a.example/{number}") for number in range(first, first + 1_000)]
            log.take([told for page in pages for told in _read_by(page, chance)], 0.0)
            log.note(deed for page in pages for deed in _shown_to(page, chance))
        voices = Voices(log, lambda _: WORDS_OF_A_PAGE)
        began = time.process_time()
        voices.renew()
        return time.process_time() - began


def _read_by(page: Url, chance: random.Random) -> Iterator[Bundle]:
    query = f"question {chance.randrange(QUESTIONS)}"
    for reader in chance.sample(range(1, READERS + 1), 8):
        did = tuple(Did(action, chance.choice((1.0, 40.0)), 1.0) for action in DONE)
        yield Bundle(reader, f"{key_of(page)}", page, key_of(page), 1, query, did)


def _shown_to(page: Url, chance: random.Random) -> Iterator[Deed]:
    query, rank = f"question {chance.randrange(QUESTIONS)}", chance.randint(1, 10)
    for at, reader in enumerate(chance.sample(range(1, READERS + 1), 5)):
        yield Deed(reader, 1.0, page, 1, Action.SHOWN, 1.0, query, rank)
        action = Action.OPENED if chance.random() < 1 / rank else Action.SHOWN
        yield Deed(reader, 4000.0 * at, page, 1, action, 1.0, query, rank + 1)


# Answering with it.


def slower(folder: Path, questions: Sequence[Candidates], weight: float, seed: int) -> Slower:
    """With an opinion of every answer of the questions; in turns, so that whatever else the machine does hits both."""
    with ReaderLog(folder) as log:
        log.note(_read(questions, time.time()))
        voices = Voices(log, lambda _: WORDS_OF_A_PAGE)
        voices.renew()
        plain = SearchSettings(meaning_weight=0.0, reader_weight=0.0)
        heard = SearchSettings(meaning_weight=0.0, reader_weight=weight or 1.0)
        with Searcher(folder, plain) as without, Searcher(folder, heard, voices=voices) as with_readers:
            queries = [one.query for one in questions] * -(-ASKED_TWICE // len(questions))
            random.Random(seed).shuffle(queries)
            took: dict[bool, list[float]] = {False: [], True: []}
            for number, query in enumerate(queries[:ASKED_TWICE]):
                for told in (number % 2 == 0, number % 2 == 1):
                    took[told].append(_spent(with_readers if told else without, query))
    p95 = {told: sorted(spent)[int(0.95 * len(spent))] * 1000 for told, spent in took.items()}
    return Slower(len(took[True]), p95[False], p95[True])


def _read(questions: Sequence[Candidates], now: float) -> Iterator[Deed]:
    for question in questions:
        for reader in range(1, 6):
            for rank, url in enumerate(question.urls, 1):
                yield Deed(reader, now, url, 1, Action.SHOWN, 1.0, question.query, rank)
                yield Deed(reader, now, url, 1, Action.ACTIVE, 40.0, question.query, rank)


def _spent(searcher: Searcher, query: str) -> float:
    began = time.process_time()
    searcher.answer(parse(query))
    return time.process_time() - began
