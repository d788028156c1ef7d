"""The requests for pages of a kind that a folder has known."""

import json
import sqlite3
from collections.abc import Sequence

from whimbrel.records.url import Url
from whimbrel.repository.contract import OPEN, Enquiry

_EVERY = """
SELECT r.id, r.asked_at, r.examples, r.structure, r.most, coalesce(f.pages, 0), r.state, r.finished_at
FROM request r LEFT JOIN (
  SELECT a.request, count(*) AS pages FROM answer a JOIN url u ON u.id = a.url
  WHERE u.outcome IN ('fetched', 'unchanged') GROUP BY a.request
) f ON f.request = r.id ORDER BY r.id
"""


def every_request(database: sqlite3.Connection) -> list[Enquiry]:
    """In the order in which they were asked. What was found is counted, not noted: pages go as well as come."""
    rows = database.execute(_EVERY).fetchall()
    return [Enquiry(row[0], row[1], tuple(map(Url, json.loads(row[2]))), *row[3:]) for row in rows]


class Requests:
    """Rows of the `request` table; written by home alone."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def every(self) -> list[Enquiry]:
        return every_request(self._database)

    def open(self) -> list[Enquiry]:
        return [one for one in self.every() if one.state == OPEN]

    def asked(self, examples: Sequence[Url]) -> Enquiry | None:
        """The request with these examples, whatever became of it."""
        return next((one for one in self.every() if set(one.examples) == set(examples)), None)

    def add(self, examples: Sequence[Url], structure: bytes, most: int | None, now: float) -> int:
        row = (now, json.dumps(list(examples)), structure, most, OPEN)
        query = "INSERT INTO request (asked_at, examples, structure, most, state) VALUES (?, ?, ?, ?, ?)"
        return int(self._database.execute(query, row).lastrowid or 0)

    def go_on(self, number: int, most: int | None) -> None:
        """Asked again: it is open, and wants so many."""
        query = "UPDATE request SET state = ?, most = ?, finished_at = NULL WHERE id = ?"
        self._database.execute(query, (OPEN, most, number))

    def reword(self, number: int, structure: bytes) -> None:
        self._database.execute("UPDATE request SET structure = ? WHERE id = ?", (structure, number))

    def end(self, number: int, state: str, now: float) -> bool:
        """Done or withdrawn; whether it was open."""
        query = "UPDATE request SET state = ?, finished_at = ? WHERE id = ? AND state = ?"
        return self._database.execute(query, (state, now, number, OPEN)).rowcount > 0
