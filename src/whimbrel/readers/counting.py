"""What readers did, counted: every action, per reader and in all, and by days."""

from msgspec import Struct

from whimbrel.readers.contract import SECONDS_A_DAY
from whimbrel.readers.log import ReaderLog
from whimbrel.records.deed import Action

_ALL = (
    "SELECT reader, page, action, count(*) AS count, sum(amount) AS amount FROM deed GROUP BY reader, page, action"
    " UNION ALL SELECT reader, page, action, count, amount FROM summed"
)


class ActionCount(Struct, frozen=True):
    """An action: how often it was done, how much of it, by how many readers, on how many pages."""

    action: Action
    count: int = 0
    amount: float = 0.0
    readers: int = 0
    pages: int = 0


class ReaderCount(Struct, frozen=True):
    """A reader under their number. `active_seconds` is how long they read."""

    reader: int
    since: float
    recorded: bool
    count: int
    pages: int
    active_seconds: float


class Counting:
    def __init__(self, log: ReaderLog) -> None:
        self._log = log

    def actions(self, reader: int | None = None) -> list[ActionCount]:
        """Every action there is, also where it was never done."""
        chosen = "" if reader is None else " WHERE reader = ?"
        with self._log.reading() as database:
            rows = database.execute(
                "SELECT action, sum(count), sum(amount), count(DISTINCT reader), count(DISTINCT page)"
                f" FROM ({_ALL}){chosen} GROUP BY action",
                () if reader is None else (reader,),
            ).fetchall()
        known = {row[0]: ActionCount(Action(row[0]), *row[1:]) for row in rows}
        return [known.get(action.value, ActionCount(action)) for action in Action]

    def readers(self, most: int) -> list[ReaderCount]:
        """Who did most comes first."""
        with self._log.reading() as database:
            rows = database.execute(
                "SELECT number, since, recorded, coalesce(sum(count), 0) AS total, count(DISTINCT page),"
                " coalesce(sum(amount) FILTER (WHERE action = 15), 0.0)"
                f" FROM reader LEFT JOIN ({_ALL}) ON reader = number GROUP BY number"
                " ORDER BY total DESC, number LIMIT ?",
                (most,),
            ).fetchall()
        return [ReaderCount(row[0], row[1], bool(row[2]), *row[3:]) for row in rows]

    def days(self, most: int, now: float, reader: int | None = None) -> list[dict[Action, int]]:
        """Of each of the last days what was done, today last."""
        today = int(now // SECONDS_A_DAY)
        first = (today - most + 1) * SECONDS_A_DAY
        chosen = "" if reader is None else " AND reader = ?"
        with self._log.reading() as database:
            rows = database.execute(
                f"SELECT cast(at / {SECONDS_A_DAY} AS INTEGER), action, count(*) FROM deed WHERE at >= ?{chosen}"
                " GROUP BY 1, 2",
                (first,) if reader is None else (first, reader),
            ).fetchall()
        days: list[dict[Action, int]] = [{} for _ in range(most)]
        for day, action, count in rows:
            if 0 <= most - 1 - (today - day) < most:
                days[most - 1 - (today - day)][Action(action)] = count
        return days
