"""Pictures of a page looked at before the page is judged: does the shape of each say what the page calls it?

They are asked for one by one, on the page's own host, in its turn and by its rules, and decoded in a helper process. Of
the pictures of a page only those are looked at that may say something of what is asked for.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

from msgspec import Struct

from whimbrel.fetch.politeness import retry_after
from whimbrel.flows.visit.leading import judged
from whimbrel.flows.visit.tools import Tools
from whimbrel.judges.convening import PicturesWanted
from whimbrel.judges.pictured import ENOUGH, worth
from whimbrel.parse.document import tree_of
from whimbrel.parse.pictures import PagePicture, file_words, pictures_of
from whimbrel.records.picturing import LEAST_PIXELS, LabelSays, PictureSeen
from whimbrel.records.request import SHOWS_RULE
from whimbrel.records.response import Response
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.shapes.classes import ShapeClasses, classes_named
from whimbrel.shapes.shape import PictureShape
from whimbrel.urls.normal import host as host_of

REMEMBERED = 20_000
HELD_BYTES = 16 << 20
_HTML = ("text/html", "application/xhtml+xml")
_COMPLETE = frozenset({200, 203})
_ABSENT = "absent"
_BROKEN = frozenset({_ABSENT, "damaged", "mislabelled", "crashed"})
"""What is wrong with what shows nothing, whatever it is called."""
_BUSY = frozenset({429, 503})

SeesShapes: TypeAlias = Callable[[bytes], PictureShape | Verdict]
"""The shape in a picture, by its bytes; or why none can be seen, under the name of what is wrong."""
MayAsk: TypeAlias = Callable[[Url], Awaitable[bool]]
"""Waits until the visit that holds a host's turn may ask for something more; whether it may."""


class PictureLink(Struct, frozen=True):
    """A picture as a page shows it, and the classes that it is called by."""

    url: Url
    key: int
    called: tuple[str, ...]


class Gazing:
    """What was seen is remembered, so that a picture of many pages is asked for once; with `holds` its answer is held
    until it is visited itself."""

    def __init__(
        self, classes: ShapeClasses, wanted: PicturesWanted, sees: SeesShapes, may_ask: MayAsk, most: int, holds: bool
    ) -> None:
        self._classes = classes
        self._wanted = wanted
        self._sees = sees
        self._may_ask = may_ask
        self._most = most
        self._holds = holds
        self._shapes: dict[int, PictureShape | Verdict] = {}
        self._called: dict[int, tuple[str, ...]] = {}
        self._answers: OrderedDict[int, Response] = OrderedDict()
        self._held_bytes = 0
        self._under_way: dict[int, asyncio.Event] = {}
        """Pictures that another page of the same host waits for."""

    async def look(self, task: Task, response: Response, tools: Tools) -> tuple[PictureSeen, ...]:
        """Nothing where the answer is no page."""
        mime = response.headers.get("content-type", "text/html")
        if task.asset or task.sitemap or response.status not in _COMPLETE or not mime.lower().startswith(_HTML):
            return ()
        return tuple([await self._seen(link, tools) for link in self._chosen(task, response, mime, tools)])

    def of_picture(self, task: Task, body: bytes) -> Verdict:
        """A picture that is visited itself, by what the pages called it that were read here. Where pictures of some
        classes are asked for, others are not wanted."""
        called = self._called.get(task.key) or self._names(file_words(task.url))
        seen = self._told(PictureLink(task.url, task.key, called), self._shape(task.key, body))
        if self._wanted.unnamed and worth(seen, self._wanted.named) < ENOUGH:
            return refused(SHOWS_RULE, seen.words())
        return Verdict(True, SHOWS_RULE, seen.words())

    def held(self, task: Task) -> Response | None:
        """The answer for a picture that was looked at, once."""
        if not task.asset or (answer := self._answers.pop(task.key, None)) is None:
            return None
        self._held_bytes -= len(answer.raw)
        return answer

    # Which pictures.

    def _chosen(self, task: Task, response: Response, mime: str, tools: Tools) -> list[PictureLink]:
        """Those called as is asked for first."""
        links = {link.key: link for link in self._links(task, response, mime, tools)}.values()
        if len(self._called) >= REMEMBERED:
            self._called.clear()
        for link in links:
            self._called.setdefault(link.key, link.called)
        named = [link for link in links if not self._wanted.named.isdisjoint(link.called)]
        unnamed = [link for link in links if not link.called] if self._wanted.unnamed else []
        return [*named, *unnamed][: self._most]

    def _links(self, task: Task, response: Response, mime: str, tools: Tools) -> Iterator[PictureLink]:
        document = tree_of(response.body, mime)[0]
        first = document.find("base")
        base = tools.resolver.resolve((first.attr("href") if first is not None else "") or "", task.url)
        for picture in pictures_of(document):
            target = tools.resolver.resolve(picture.addresses[0], base[0] if base else task.url)
            if target is None or picture.drawn_under(LEAST_PIXELS) or host_of(target[0]) != host_of(task.url):
                continue
            link = judged(*target, 1, True, tools)
            if not link.rule:
                yield PictureLink(link.url, link.key, self._names(_label(picture, link.url)))

    def _names(self, label: str) -> tuple[str, ...]:
        return tuple(sorted(classes_named(label, self._classes.examples)))

    # What they show.

    async def _seen(self, link: PictureLink, tools: Tools) -> PictureSeen:
        if (under_way := self._under_way.get(link.key)) is not None:
            await under_way.wait()
        known = self._shapes.get(link.key)
        if known is None:
            self._under_way[link.key] = asyncio.Event()
            try:
                known = await self._fetched(link, tools)
            finally:
                self._under_way.pop(link.key).set()
        return self._told(link, known)

    async def _fetched(self, link: PictureLink, tools: Tools) -> PictureShape | Verdict:
        if not await self._may_ask(link.url):
            return refused("courtesy", "its host does not let it be asked for")
        answer = await tools.fetcher.fetch(link.url, any_type=True)
        if not isinstance(answer, Response):
            fault = answer if isinstance(answer, Verdict) else refused(answer.kind, answer.detail)
            return self._remembered(link.key, fault)
        if answer.status in _BUSY:
            tools.busy(link.url, retry_after(answer.headers, tools.now()))
        if answer.status not in _COMPLETE:
            return self._remembered(link.key, refused(_ABSENT, f"the server answered {answer.status}"))
        self._hold(link.key, answer)
        return self._shape(link.key, answer.body)

    def _shape(self, key: int, body: bytes) -> PictureShape | Verdict:
        known = self._shapes.get(key)
        return known if known is not None else self._remembered(key, self._sees(body))

    def _remembered(self, key: int, shape: PictureShape | Verdict) -> PictureShape | Verdict:
        if len(self._shapes) >= REMEMBERED:
            self._shapes.clear()
        self._shapes[key] = shape
        return shape

    def _told(self, link: PictureLink, shape: PictureShape | Verdict) -> PictureSeen:
        if isinstance(shape, Verdict):
            return PictureSeen(link.url, link.called, "", LabelSays.NOTHING, shape.reason, shape.rule in _BROKEN)
        says = self._classes.says(" ".join(link.called), shape)
        return PictureSeen(link.url, link.called, self._classes.told(shape), says)

    def _hold(self, key: int, answer: Response) -> None:
        if not self._holds or len(answer.raw) > HELD_BYTES:
            return
        self._answers[key] = answer
        self._held_bytes += len(answer.raw)
        while self._held_bytes > HELD_BYTES:
            self._held_bytes -= len(self._answers.popitem(last=False)[1].raw)


def _label(picture: PagePicture, url: Url) -> str:
    """All that the page calls it."""
    return " ".join((picture.alt, picture.title, picture.name, picture.caption, file_words(url)))
