"""Which tasks a migrant must not keep waiting: while one of them is left, less urgent lanes rest where they are."""

from collections import deque
from collections.abc import Sequence

from whimbrel.migrants.away.lanes import Lane
from whimbrel.records.task import Task


class Urgency:
    """Remembers tasks of more than ordinary priority until they are done, and the lanes halted for them."""

    def __init__(self) -> None:
        self._priorities: dict[int, int] = {}
        self._halted: list[Lane] = []
        self._top = 0

    def enqueue(self, queue: deque[Task], tasks: Sequence[Task], priority: int) -> None:
        """More urgent tasks go before everything that waits in the lane, themselves included. Where all of them are
        under way already there is nothing to wait for."""
        if not priority or not tasks:
            queue.extend(tasks)
            return
        keys = {task.key for task in tasks}
        if any(task.key in keys for task in queue):
            waiting = [task for task in queue if task.key not in keys]
            queue.clear()
            queue.extend(waiting)
        self._priorities.update((task.key, priority) for task in tasks)
        self._top = max(self._top, priority)
        queue.extendleft(reversed(tasks))

    @property
    def pressing(self) -> bool:
        """Whether any is left."""
        return self._top > 0

    def first(self, tasks: list[Task]) -> list[Task]:
        """The same tasks, the more urgent ones before the others."""
        return sorted(tasks, key=lambda task: -self._priorities.get(task.key, 0)) if self._top else tasks

    def halts(self, lane: Lane) -> bool:
        """Whether the lane must wait because others have more urgent work; it is remembered until `done` frees it."""
        if not self._top or not lane.queue or self._priorities.get(lane.queue[0].key, 0) >= self._top:
            return False
        self._halted.append(lane)
        return True

    def done(self, key: int) -> list[Lane]:
        """A task is done; returns the lanes that may go on because of it."""
        if self._priorities.pop(key, None) is None:
            return []
        top = max(self._priorities.values(), default=0)
        if top == self._top:
            return []
        self._top = top
        halted, self._halted = self._halted, []
        return halted
