"""What home says of the visits that came in: what became of each, as the folder has it."""

import asyncio
from pathlib import Path

from grown_folder import Fetcher, Served, page
from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.visit.crawl import visit
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.migrants.home.intake import as_seeds, told
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED
from whimbrel.repository.contract import LeaseWanted
from whimbrel.repository.embedded.store import Store
from whimbrel.urls.resolve import LinkResolver

NOW = 1_000.0


def test_a_copy_is_told_as_one_and_a_page_without_room_as_still_due(tmp_path: Path) -> None:
    words = "many words that two pages have in common, so that they count as one and the same text " * 4
    world = {
        "http://a.example/a": Served(page(words)),
        "http://a.example/b": Served(page(words)),
        "http://a.example/c": Served(page("another page altogether " * 12)),
        "http://a.example/d": Served(b"away", 503),
    }
    tools = Tools(
        fetcher=Fetcher(world), resolver=LinkResolver(), cache=UrlCache(100), judge=lambda _: ACCEPTED, rewrite=None,
        now=lambda: NOW, agent="whimbrel", assets=False, retries=1, retry_seconds=lambda url, attempt: 1.0,
        busy=lambda url, wait: 1.0, at_work_on=lambda key: None,
    )  # fmt: skip
    store = Store(tmp_path)
    terms, watch = Terms(1, None, Order.BREADTH), Watch(TrapSettings())
    try:
        planted = Gathering(store, terms, watch, NOW).plant(as_seeds([Url(url) for url in world]))
        store.commit(planted.plan, NOW)
        (lane,) = store.lanes_due()
        visits = [
            (asyncio.run(visit(Task(known.key, known.url, known.depth, 0, 0, False), tools)), lease)
            for lease, known in store.lease(LeaseWanted(lane[0], 10, NOW))
        ]
        gathered = Gathering(store, terms, watch, NOW).take(visits)
        store.commit(gathered.plan, NOW)
    finally:
        store.close()
    became = {str(each.url)[-1]: each for each in told(visits, gathered)}
    assert {name: str(each.outcome) for name, each in became.items()} == {
        "a": "fetched", "b": "duplicate", "c": "discovered", "d": "discovered",
    }  # fmt: skip
    assert became["b"].reason == "same bytes"
    assert "still due" in became["c"].reason
    assert became["c"].document is None
    assert became["d"].rule == "http_503"
