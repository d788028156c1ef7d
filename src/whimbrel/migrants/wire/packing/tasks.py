"""Work as it crosses the link: tasks without what the other side can work out or holds, and each with a number by which
the visit that comes back names it."""

from collections.abc import Iterator

from msgspec import Struct, msgpack

from whimbrel.migrants.wire.itinerary import Itinerary
from whimbrel.migrants.wire.messages import LaneWork, Sealed, WireError, Work
from whimbrel.migrants.wire.packing.deltas import steps, walked
from whimbrel.migrants.wire.packing.holdings import Holdings
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.records.url import Url
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import key as key_of

NOT_HELD = 0
_itineraries = msgpack.Decoder(Itinerary)
_encoder = msgpack.Encoder()


class NotHeld(WireError):
    """The other side names a page that this side does not hold: the two have come apart and must begin from nothing."""


class TightTasks(Struct, frozen=True, array_like=True):
    """Tasks by columns. `held` are steps between numbers of pages that both sides hold; the others, `NOT_HELD`, are
    written out in `urls` and `validators`, in order."""

    held: list[int]
    urls: list[str]
    validators: dict[int, Validators]
    depths: list[int]
    hops: list[int]
    attempts: list[int]
    assets: list[bool]
    sitemaps: list[bool]


class TightLane(Struct, frozen=True, array_like=True):
    number: int
    host: str
    wait_seconds: float
    robots: list[RobotsCopy]
    tasks: TightTasks
    slices: int
    shy: bool
    strikes: int


class TightItinerary(Struct, frozen=True, array_like=True):
    sender: str
    receiver: str
    number: int
    brief: bytes
    priority: int
    expires_at: float
    lanes: list[TightLane]
    proof: bytes


class TightWork(Struct, frozen=True, array_like=True, tag="work"):
    """`first` is the number of the first task."""

    itineraries: list[TightItinerary]
    acknowledged: int
    room: int
    first: int


class TaskBook:
    """Which tasks went down, by number. A task is forgotten with its visit."""

    def __init__(self) -> None:
        self._tasks: dict[int, Task] = {}
        self._numbers: dict[int, int] = {}
        self.next = 0

    def note(self, tasks: list[Task], first: int) -> None:
        for number, task in enumerate(tasks, first):
            self._tasks.pop(self._numbers.pop(task.key, -1), None)
            self._tasks[number] = task
            self._numbers[task.key] = number
        self.next = first + len(tasks)

    def number(self, key: int) -> int | None:
        return self._numbers.get(key)

    def task(self, number: int) -> Task | None:
        return self._tasks.get(number)

    def forget(self, number: int) -> None:
        task = self._tasks.pop(number, None)
        if task is not None:
            del self._numbers[task.key]


def tight_work(work: Work, book: TaskBook, held: Holdings | None) -> TightWork | None:
    """None where an itinerary would not come out as it was sealed: a proof is over its very bytes."""
    tight: list[TightItinerary] = []
    tasks: list[Task] = []
    for sealed in work.itineraries:
        itinerary = _itineraries.decode(sealed.body)
        lanes = [_tight_lane(lane, held) for lane in itinerary.lanes]
        packed = TightItinerary(
            itinerary.sender, itinerary.receiver, itinerary.number, itinerary.brief, itinerary.priority,
            itinerary.expires_at, lanes, sealed.proof,
        )  # fmt: skip
        if _loose_itinerary(packed, held) != sealed:
            return None
        tight.append(packed)
        tasks += [task for lane in itinerary.lanes for task in lane.tasks]
    first = book.next
    book.note(tasks, first)
    return TightWork(tight, work.acknowledged, work.room, first)


def loose_work(tight: TightWork, book: TaskBook, held: Holdings | None) -> Work:
    sealed = [_loose_itinerary(itinerary, held) for itinerary in tight.itineraries]
    tasks = [task for one in sealed for lane in _itineraries.decode(one.body).lanes for task in lane.tasks]
    book.note(tasks, tight.first)
    return Work(sealed, tight.acknowledged, tight.room)


def _tight_lane(lane: LaneWork, held: Holdings | None) -> TightLane:
    return TightLane(
        lane.number, lane.host, lane.wait_seconds, lane.robots, _tight_tasks(lane.tasks, held), lane.slices, lane.shy,
        lane.strikes,
    )  # fmt: skip


def _tight_tasks(tasks: list[Task], held: Holdings | None) -> TightTasks:
    numbers = [_held_number(task, held) for task in tasks]
    apart = [task for task, number in zip(tasks, numbers, strict=True) if number == NOT_HELD]
    return TightTasks(
        steps(numbers), [task.url for task in apart],
        {place: task.validators for place, task in enumerate(apart) if task.validators != NO_VALIDATORS},
        [task.depth for task in tasks], [task.hops for task in tasks], [task.attempt for task in tasks],
        [task.asset for task in tasks], [task.sitemap for task in tasks],
    )  # fmt: skip


def _held_number(task: Task, held: Holdings | None) -> int:
    page = held.latest(task.key) if held is not None else None
    known = page is not None and page.url == task.url and page.validators == task.validators
    return page.number if known and page is not None else NOT_HELD


def _loose_itinerary(tight: TightItinerary, held: Holdings | None) -> Sealed:
    lanes = [
        LaneWork(
            lane.number, lane.host, lane.wait_seconds, lane.robots, _loose_tasks(lane.tasks, held), lane.slices,
            lane.shy, lane.strikes,
        )
        for lane in tight.lanes
    ]  # fmt: skip
    itinerary = Itinerary(
        tight.sender, tight.receiver, tight.number, tight.brief, tight.priority, tight.expires_at, lanes
    )
    return Sealed(_encoder.encode(itinerary), tight.proof)


def _loose_tasks(tight: TightTasks, held: Holdings | None) -> list[Task]:
    try:
        apart = iter(enumerate(tight.urls))
        rows = zip(
            walked(tight.held), tight.depths, tight.hops, tight.attempts, tight.assets, tight.sitemaps, strict=True
        )
        return [_loose_task(row, apart, tight.validators, held) for row in rows]
    except (ValueError, StopIteration, RuntimeError) as error:
        raise WireError("tasks whose columns do not fit together") from error


def _loose_task(
    row: tuple[int, int, int, int, bool, bool],
    apart: Iterator[tuple[int, str]],
    validators: dict[int, Validators],
    held: Holdings | None,
) -> Task:
    number, depth, hops, attempt, asset, sitemap = row
    if number == NOT_HELD:
        place, url = next(apart)
        said = validators.get(place, NO_VALIDATORS)
        return Task(key_of(Url(url)), Url(url), depth, hops, attempt, asset, said, sitemap)
    page = held.numbered(number) if held is not None else None
    if page is None:
        raise NotHeld(f"page {number} is not held here")
    return Task(page.key, page.url, depth, hops, attempt, asset, page.validators, sitemap)
