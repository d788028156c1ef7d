"""How far URLs got beyond crawled: indexed, shown, opened."""

from whimbrel.readers.log import ReaderLog
from whimbrel.readers.tallies import Tallies
from whimbrel.repository.location import Where, located
from whimbrel.search.book import Book, IndexUnreadable
from whimbrel.search.contract import States
from whimbrel.search.places import FOLDER


def states_of(where: Where) -> States:
    with ReaderLog(where) as log:
        told = Tallies(log).counts()
    return States(_indexed(where), told.shown, told.opened, told.times_shown, told.times_opened)


def _indexed(where: Where) -> int:
    try:
        book = Book(located(where).beside / FOLDER)
    except IndexUnreadable:
        return 0
    try:
        return book.count("role = 'page' AND stale = 0")
    finally:
        book.close()
