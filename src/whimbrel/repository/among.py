"""SQLite asked about many values: some hundred at a time, since a query takes only so many parameters."""

import sqlite3
from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from typing import Any, TypeVar

Value = TypeVar("Value")

MOST_PARAMETERS = 500


def parts(values: Iterable[Value]) -> Iterator[list[Value]]:
    rest = iter(values)
    while part := list(islice(rest, MOST_PARAMETERS)):
        yield part


def marks(values: Sized) -> str:
    """What stands in a query for these values."""
    return f"({', '.join('?' * len(values))})"


def among(database: sqlite3.Connection, query: str, values: Iterable[object]) -> list[Any]:
    """The rows of a query that ends in IN."""
    rows: list[Any] = []
    for part in parts(values):
        rows += database.execute(f"{query} {marks(part)}", part)
    return rows
