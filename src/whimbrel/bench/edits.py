"""`bench edits`: made-up sites of pages that live, visited again and again as a refresh visits them.

Every edit is known, so that what was missed is counted, and what raised an alarm without one. An edit counts as told
where the words of the notice are its own: an alarm for something else beside it does not count. The first visits teach
what turns over by itself and are told apart. What a page said last has to be what the folder says, at every visit.

The rules were made on real pages (docs/change.md). The pages of the marsh were written afterwards, and rules were
mended when they failed there: seeds other than those that were looked at show other texts, and the same sorts of spots.
The pages of the market are of other sorts altogether; nothing was chosen on them. On the sites of the crowd thirty
pages of one form count what visitors do; those of the strangers are its like, and nothing was chosen on them either.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from whimbrel.bench.crowd_pages import CROWD
from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.living_pages import MARSH
from whimbrel.bench.market_pages import MARKET
from whimbrel.bench.playing import HTML, Player
from whimbrel.bench.stranger_pages import STRANGERS
from whimbrel.bench.town_pages import TOWN
from whimbrel.flows.packing import unpacked_spots
from whimbrel.parse import html
from whimbrel.repository.contract import Noted


class Living(Protocol):
    """A page that lives. `state` is what somebody edits of it, `before` that at the visit before."""

    name: str
    noise: tuple[str, ...]
    pace: str
    state: str
    before: str

    @property
    def edited(self) -> str: ...

    def next(self, turn: int, release: str) -> str:
        """The page at a visit."""

    def again(self, turn: int, release: str) -> str:
        """The page moments later."""


class WorldOfEdits(Protocol):
    """Sorts of edits, paces and noise, and the pages of a site with them."""

    @property
    def name(self) -> str: ...
    @property
    def edits(self) -> Iterable[str]: ...
    @property
    def paces(self) -> Iterable[str]: ...
    @property
    def noise(self) -> Iterable[str]: ...

    def site(self, seed: int, visits: int) -> Sequence[Living]: ...


WORLDS: dict[str, WorldOfEdits] = {world.name: world for world in (MARSH, MARKET, TOWN, CROWD, STRANGERS)}
VISITS, SEEDS = 30, 6
LEARNING = 8
"""Visits at which noise is still told now and then."""
SECONDS_BETWEEN = 86_400.0
RELEASED_EVERY = 9
LEAST_TOLD, LEAST_TOLD_AT_WORST, LEAST_TOLD_SOON, MOST_ALARMS = 0.98, 0.95, 1.0, 0.01
_SOON = 3
PHASES = {2: "first refresh", 4: "second and third", LEARNING: "fourth to seventh", VISITS: "from the eighth"}
"""By the visit at which each is over."""
_TAG = re.compile(r"<[^>]*>")

Say = Callable[[str], None]


class Sort(Struct, frozen=True):
    """Of one sort of edit, pace or noise: edits told at their visit and soon after, quiet visits with an alarm."""

    name: str
    edits: int
    told: int
    told_soon: int
    quiet: int
    alarms: int


class EditsReport(Struct, frozen=True):
    """`first_alarms` are those at the first visits, of `first_quiet`; `second_looks`: pages asked for once more before
    they were told; `rotten`: visits after which the folder did not
    say what the page said. `by_phase` counts quiet visits and alarms from the first refresh on, the others once noise
    could be learned."""

    world: str
    sites: int
    visits: int
    edits: int
    told: int
    told_soon: int
    quiet: int
    alarms: int
    first_quiet: int
    first_alarms: int
    second_looks: int
    rotten: int
    by_edit: tuple[Sort, ...]
    by_pace: tuple[Sort, ...]
    by_noise: tuple[Sort, ...]
    by_phase: tuple[Sort, ...]
    by_site: tuple[Sort, ...]
    mistakes: tuple[str, ...]


class EditsRun(Struct, frozen=True):
    worlds: tuple[EditsReport, ...]


def run(work: Path, say: Say, first_seed: int = 1, seeds: int = SEEDS, world: WorldOfEdits = MARSH) -> EditsReport:
    tally = _EditTally(world)
    for seed in range(first_seed, first_seed + seeds):
        say(f"{world.name} {seed} …")
        _play(work / f"{world.name}{seed}", seed, tally)
    return tally.report(seeds)


def goals(ran: EditsRun) -> list[Goal]:
    return [goal for report in ran.worlds for goal in _goals(report)]


def _goals(report: EditsReport) -> list[Goal]:
    where = f"{report.world}: "
    edits, quiet = max(1, report.edits), max(1, report.quiet)
    worst = min((sort.told / sort.edits for sort in report.by_edit if sort.edits), default=1.0)
    return [
        at_least(f"{where}share of edits told at their visit", report.told / edits, LEAST_TOLD),
        at_least(f"{where}share of edits told at their visit, of the worst sort", worst, LEAST_TOLD_AT_WORST),
        at_least(f"{where}share of edits told there or within three visits", report.told_soon / edits, LEAST_TOLD_SOON),
        at_most(
            f"{where}share of quiet visits with an alarm, once noise could be learned",
            report.alarms / quiet,
            MOST_ALARMS,
        ),
        at_most(f"{where}visits after which the folder did not say what the page said", report.rotten, 0),
    ]


def _play(folder: Path, seed: int, tally: "_EditTally") -> None:
    player = Player(folder, f"site{seed}.example")
    try:
        living = tally.world.site(seed, VISITS)
        for turn in range(VISITS):
            player.begin()
            moment = 1e9 + SECONDS_BETWEEN * turn
            told: dict[str, list[Noted]] = {}
            for page in living:
                said = [page.next(turn, _release(turn))]
                told[page.name] = player.visit(page.name, said[0].encode(), moment, partial(_again, page, turn, said))
                tally.rotten += player.kept_text(page.name) != html.read(said[-1].encode(), HTML).text
            for name, note in player.end(moment):
                told[name].append(note)
            for page in living if turn else ():
                tally.add(seed, page, turn, told[page.name])
        tally.end()
        tally.second_looks += player.second_looks
    finally:
        player.close()


def _again(page: Living, turn: int, said: list[str]) -> bytes:
    said.append(page.again(turn, _release(turn)))
    return said[-1].encode()


def phase_of(turn: int) -> str:
    return next(name for over, name in PHASES.items() if turn < over)


def _release(turn: int) -> str:
    return f"1.{turn // RELEASED_EVERY}"


def _own_words(page: Living) -> set[str]:
    """The words and targets of links that only one of the two states has."""
    was, now = (Counter(_TAG.sub(lambda tag: f" {tag[0]} ", state).split()) for state in (page.before, page.state))
    return {*(was - now), *(now - was)}


def _is_about(note: Noted, own: set[str]) -> bool:
    counted, _ = unpacked_spots(note.details)
    for spot in counted:
        for aspect in spot.aspects:
            before, after = Counter(aspect.before.split()), Counter(aspect.after.split())
            if any(word in one or one in word for one in own for word in (before - after) + (after - before)):
                return True
    return False


class _EditTally:
    def __init__(self, world: WorldOfEdits) -> None:
        self.world = world
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self.mistakes: list[str] = []
        self.rotten = self.visits = self.second_looks = 0
        self._waiting: dict[str, list[tuple[int, set[str], Living, int]]] = {}

    def add(self, seed: int, page: Living, turn: int, told: list[Noted]) -> None:
        self.visits += 1
        waiting = self._waiting.setdefault(page.name, [])
        late = [one for one in waiting if any(_is_about(note, one[1]) for note in told)]
        edited = page.state != page.before
        if edited:
            self._count(page, "edits")
            own = _own_words(page)
            if any(_is_about(note, own) for note in told):
                self._count(page, "told")
                self._count(page, "told_soon")
            else:
                waiting.append((turn, own, page, seed))
        for one in late:
            waiting.remove(one)
            self._count(page, "told_soon")
            self.mistakes.append(f"late by {turn - one[0]}: {_named(*one)}")
        for one in [one for one in waiting if turn - one[0] >= _SOON]:
            waiting.remove(one)
            self.mistakes.append(f"missed: {_named(*one)}")
        if not edited and not late:
            early = "first_" * (turn < LEARNING)
            self._count_quiet(page, seed, turn, f"{early}quiet")
            if told:
                self._count_quiet(page, seed, turn, f"{early}alarms")
                if not early:
                    counted = unpacked_spots(told[0].details)[0]
                    said = f"{counted[0].before[:40]!r} to {counted[0].after[:40]!r}" if counted else ""
                    self.mistakes.append(
                        f"alarm: site {seed}, {page.name} (beside {', '.join(page.noise)}), visit {turn}: {said}"
                    )

    def end(self) -> None:
        for one in (one for waiting in self._waiting.values() for one in waiting):
            self.mistakes.append(f"missed at the end: {_named(*one)}")
        self._waiting.clear()

    def _count(self, page: Living, what: str) -> None:
        for group, name in (("", ""), ("edit", page.edited), ("pace", page.pace)):
            self.counts[group, name, what] += 1
        for name in page.noise:
            self.counts["noise", name, what] += 1

    def _count_quiet(self, page: Living, seed: int, turn: int, what: str) -> None:
        self._count(page, what)
        self.counts["phase", phase_of(turn), what.removeprefix("first_")] += 1
        self.counts["site", str(seed), what] += 1

    def report(self, sites: int) -> EditsReport:
        def figure(what: str) -> int:
            return self.counts["", "", what]

        world = self.world
        return EditsReport(
            world.name, sites, self.visits, figure("edits"), figure("told"), figure("told_soon"), figure("quiet"),
            figure("alarms"), figure("first_quiet"), figure("first_alarms"), self.second_looks, self.rotten,
            self._sorts("edit", world.edits), self._sorts("pace", world.paces), self._sorts("noise", world.noise),
            self._sorts("phase", PHASES.values()),
            self._sorts("site", dict.fromkeys(name for group, name, _ in self.counts if group == "site")),
            tuple(self.mistakes),
        )  # fmt: skip

    def _sorts(self, group: str, names: Iterable[str]) -> tuple[Sort, ...]:
        return tuple(
            Sort(name, *(self.counts[group, name, what] for what in ("edits", "told", "told_soon", "quiet", "alarms")))
            for name in names
        )


def _named(turn: int, own: set[str], page: Living, seed: int) -> str:
    beside = ", ".join(page.noise) or "nothing"
    words = " ".join(sorted(own))[:60]
    return f"site {seed}, {page.name} ({page.edited}, beside {beside}), visit {turn}: {words}"
