"""A crawl for pages that somebody asked for, as the migrant does it: every page is held against the requests there.

Pages that serve none wait on a bounded shelf; judges that have learned, and the next request, look there first.
"""

from collections import deque
from collections.abc import Collection, Sequence

from whimbrel.flows.visit.papers import ReadsPapers
from whimbrel.flows.visit.shelf import Shelf, Shelved
from whimbrel.judges.judge import Need, Resolve, Sight
from whimbrel.judges.panel import Looked, Panel
from whimbrel.parse import html, places
from whimbrel.parse.places import GroundPlan
from whimbrel.records.page import Page
from whimbrel.records.picturing import PictureSeen
from whimbrel.records.request import Fitted
from whimbrel.records.task import Task
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Link, Visit
from whimbrel.structure.shape import DEEPEST


class Seeker:
    """The judges of a brief, and the shelf at the migrant's place."""

    def __init__(self, panel: Panel, shelf: Shelf | None = None, reads: ReadsPapers | None = None) -> None:
        """`reads` reads documents that are no web pages, where anything here does."""
        self._panel = panel
        self._shelf = shelf if shelf is not None else Shelf()
        self._reads = reads
        self._told: set[int] = set()
        self._recovered: list[tuple[Looked, Visit]] = []

    # Pages.

    def read(self, body: bytes, content_type: str, assets: bool, whole: bool) -> tuple[Page, GroundPlan | None]:
        """As much of a page as some judge needs; with `whole` all its text at least."""
        needs = self._panel.needs
        if needs & (Need.TREE | Need.LINKS):
            deepest = DEEPEST if Need.TREE in needs else 0
            begins = not whole and Need.TEXT not in needs
            return places.read(body, content_type, deepest, assets=assets, begins=begins)
        return html.read(body, content_type, assets=assets), None

    def look_at_paper(self, task: Task, body: bytes, mime: str) -> Looked | Verdict:
        """A document that is no web page, by its text; or why it is not judged."""
        if self._reads is None or not self._panel.judges_words:
            return self._panel.blind(mime)
        said = self._reads(body, mime, task.url)
        if isinstance(said, str):
            return self._panel.blind(mime, f"could not be read: {said}")
        page = Page(said.title, said.text, "", [], "", said.language, "", "", "", frozenset(), [], ())
        looked = self._panel.look_at_words(Sight(task.key, task.url, page, None, lambda href: None))
        if looked.relearned:
            self._match_again()
        return looked

    def look(
        self, task: Task, page: Page, tree: GroundPlan | None, resolve: Resolve, shut: Collection[int] = (),
        pictures: Sequence[PictureSeen] = (),
    ) -> Looked:  # fmt: skip
        self._told.discard(task.key)
        looked = self._panel.look(Sight(task.key, task.url, page, tree, resolve, shut, pictures))
        if looked.relearned:
            self._match_again()
        return looked

    def scored(self, links: list[Link], looked: Looked) -> list[Link]:
        """The links that home hears of, with what they promise."""
        return self._panel.scored(links, looked)

    def by_promise(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks at hand, those whose links promise most first."""
        return self._panel.by_promise(tasks)

    def freshen(self, queue: deque[Task]) -> None:
        """Before a task is taken: what has been learned since they were put in order counts."""
        self._panel.freshen(queue)

    def done(self, number: int) -> None:
        """A request has all it asked for."""
        self._panel.done(number)

    # The shelf.

    def shelve(self, looked: Looked, visit: Visit) -> None:
        """A page that nobody asked for yet, as it was received; home hears that it is refused."""
        packed = self._panel.pack(looked)
        if packed and self._shelf.put(self._panel.sort(looked), packed, visit) and looked.near:
            self._told.add(visit.key)

    def shelved(self, task: Task, now: float) -> tuple[Looked, Visit] | None:
        """A page that need not be fetched: what the requests of today say of it, and what was received."""
        found = self._shelf.find(task.key, now)
        looked = self._panel.again(found.packed) if found is not None else None
        if found is None or looked is None:
            return None
        if looked.verdict.accepted:
            self._shelf.serve(task.key)
        else:
            self._told.add(task.key)
        return looked, found.visit

    def recovered(self) -> list[tuple[Looked, Visit]]:
        """Pages from the shelf that are wanted after all, now that a judge knows the site better."""
        recovered, self._recovered = self._recovered, []
        return recovered

    def _match_again(self) -> None:
        """Of the pages that home heard of as refused by this migrant, those that are wanted now."""
        for page in self._wanted_now():
            self._shelf.serve(page.visit.key)
            self._told.discard(page.visit.key)

    def _wanted_now(self) -> list[Shelved]:
        wanted = []
        for page in self._shelf.among([key for key in self._told if not self._panel.stands(key)], 0.0):
            looked = self._panel.again(page.packed)
            if looked is not None and looked.verdict.accepted:
                self._recovered.append((looked, page.visit))
                wanted.append(page)
        return wanted

    def settle(self) -> None:
        """Before home hears of pages that are refused, they are on the shelf, also for those who come after a kill."""
        self._shelf.write()

    def close(self) -> None:
        self._shelf.close()

    # What goes home besides.

    def fitted(self) -> list[Fitted]:
        """What was learned since this was last asked, the latest of each request."""
        return list({fit.number: fit for fit in self._panel.fitted()}.values())

    def notes(self) -> list[str]:
        """What a person should know, once."""
        notes, self._shelf.notes = [*self._shelf.notes, *self._panel.notes()], []
        return notes
