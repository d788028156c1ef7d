"""What pages are called that say no title themselves, as the index found it: documents, by what they or links say."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from whimbrel.search.book import Book, IndexUnreadable
from whimbrel.search.places import FOLDER


def titles(folder: Path, keys: Iterable[int]) -> dict[int, str]:
    """By the keys of pages; what the index does not know, or cannot tell at the moment, is left out."""
    wanted = list(keys)
    if not wanted:
        return {}
    try:
        book = Book(folder / FOLDER)
    except (IndexUnreadable, sqlite3.Error):
        return {}
    try:
        return {key: row.title for key, row in book.rows(wanted).items() if row.title}
    except sqlite3.Error:
        return {}
    finally:
        book.close()
