"""Answers what other programs ask a running crawl: how it goes, who works for it, and what a person wants done."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Protocol

from msgspec import Struct, to_builtins

from whimbrel.migrants.home.control import Answer
from whimbrel.migrants.home.crew import Crew
from whimbrel.migrants.home.intake import SentUrls
from whimbrel.migrants.home.ledger import Ledger
from whimbrel.migrants.home.lifecycle import Verb
from whimbrel.migrants.home.orders import OrderRefused
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.records.ending import Why
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise

PATIENCE_SECONDS = 25.0
SHOWN_HOSTS = 20


class RunningCrawl(Protocol):
    """What is asked of the crawl itself."""

    @property
    def progress(self) -> Struct: ...
    def stop(self, why: Why, words: str) -> None: ...
    def send(self, seeds: Iterable[Url]) -> asyncio.Future[SentUrls]: ...
    def hasten(self, urls: Iterable[Url]) -> asyncio.Future[SentUrls]: ...
    def terms_edited(self, topic: str) -> str: ...


class ControlAnswers:
    """`{"ask": "progress" | "migrants" | "stop"}`, `{"do": verb, "migrant": name, "place": name}`,
    `{"send": [url, …]}`, `{"hasten": [url, …]}`, or of a topic whose terms were edited `{"terms": topic}`; a refusal
    comes as `{"error": words}`."""

    def __init__(self, run: RunningCrawl, crew: Crew, ledger: Ledger) -> None:
        self._run = run
        self._crew = crew
        self._ledger = ledger

    async def respond(self, request: Answer) -> Answer:
        match request:
            case {"ask": "progress"}:
                progress: Answer = to_builtins(self._run.progress)
                return progress | {"migrants": self._migrants()}
            case {"ask": "migrants"}:
                return {"migrants": self._migrants()}
            case {"ask": "stop"}:
                self._run.stop(Why.STOPPED, "stopped by request; run the same command to go on")
                return {"ok": True}
            case {"do": str(verb), "migrant": str(name)} if verb in list(Verb):
                return await self._do(Verb(verb), name, str(request.get("place") or ""))
            case {"send": list(urls)}:
                return await self._send([str(url) for url in urls], self._run.send)
            case {"hasten": list(urls)}:
                return await self._send([str(url) for url in urls], self._run.hasten)
            case {"terms": str(topic)}:
                fault = self._run.terms_edited(topic)
                return {"error": fault} if fault else {"ok": True}
        return {"error": f"not understood: {sorted(request)}"}

    async def _do(self, verb: Verb, name: str, place: str) -> Answer:
        try:
            words = await asyncio.wait_for(self._crew.ask(verb, name, place), PATIENCE_SECONDS)
        except OrderRefused as error:
            return {"error": str(error)}
        except TimeoutError:
            return {"error": f"{name} has not answered for {PATIENCE_SECONDS:.0f} s; a page may hold it up"}
        return {"ok": True, "words": words}

    async def _send(self, texts: list[str], send: Callable[[Iterable[Url]], asyncio.Future[SentUrls]]) -> Answer:
        urls = [normalise(text) for text in texts]
        bad = [url.reason for url in urls if isinstance(url, Verdict)]
        if bad:
            return {"error": bad[0]}
        try:
            sent = send([url for url in urls if not isinstance(url, Verdict)])
            told: Answer = to_builtins(await asyncio.wait_for(sent, PATIENCE_SECONDS))
            return {"ok": True} | told
        except TimeoutError:
            return {"error": "the crawl is ending and takes nothing more; start it again with these URLs"}

    def _migrants(self) -> list[Answer]:
        return [self._told(proxy) for proxy in [*self._crew.alive, *self._crew.asleep.values()]]

    def _told(self, proxy: Proxy) -> Answer:
        pulse = proxy.pulse
        hosts = [book.host for book in self._ledger.held_by(proxy)]
        return {
            "name": proxy.name,
            "state": str(proxy.state),
            "place": proxy.place.name,
            "parent": proxy.parent,
            "errand": proxy.errand,
            "pid": proxy.pid,
            "born_at": proxy.born_at,
            "visits": proxy.visits,
            "pages": proxy.visits,
            "received_bytes": proxy.received,
            "tasks": len(proxy.leases),
            "queued": pulse.queued if pulse else len(proxy.leases),
            "in_flight": pulse.in_flight if pulse else 0,
            "busy": round(proxy.busy, 3),
            "cpu_seconds": round(proxy.cpu_seconds, 2),
            "memory_bytes": pulse.memory_bytes if pulse else 0,
            "latency_seconds": round(pulse.latency_seconds, 4) if pulse else 0.0,
            "hosts": hosts[:SHOWN_HOSTS],
            "host_count": len(hosts),
        }
