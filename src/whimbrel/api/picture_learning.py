"""Classes of pictures learned from what readers opened when they searched for pictures (P4 §3)."""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing

from whimbrel.readers.log import ReaderLog
from whimbrel.records.deed import Action
from whimbrel.records.url import Url
from whimbrel.repository.location import Where, located
from whimbrel.search.picture_book import opened_to_read
from whimbrel.search.places import FOLDER
from whimbrel.shapes.classes import classes_named

CONFIRMED = 2
"""So often has the page of a picture to be opened before the picture is believed to be what was searched for."""
MOST_OPENED = 12
_SHOWN = """SELECT p.url, s.alt || ' ' || s.title || ' ' || s.caption FROM shows s JOIN picture p ON p.key = s.picture
WHERE s.url = ? AND s.instead_of IS NULL"""


def opened_pictures(where: Where, names: Collection[str]) -> dict[str, list[Url]]:
    """By class, the pictures that readers opened most from searches for that name, and that are called so."""
    opened = _opened(where, names)
    database = opened_to_read(located(where).beside / FOLDER) if opened else None
    if database is None:
        return {}
    found: dict[str, list[Url]] = {}
    with closing(database):
        for (name, page), _ in opened.most_common():
            rows = database.execute(_SHOWN, (page,))
            pictures = found.setdefault(name, [])
            pictures += [Url(url) for url, label in rows if classes_named(label, [name]) and url not in pictures]
    return {name: pictures[:MOST_OPENED] for name, pictures in found.items() if pictures}


def _opened(where: Where, names: Collection[str]) -> "Counter[tuple[str, Url]]":
    counted = Counter(_searched(where, names))
    return Counter({one: times for one, times in counted.items() if times >= CONFIRMED})


def _searched(where: Where, names: Collection[str]) -> "Iterator[tuple[str, Url]]":
    with ReaderLog(where) as log:
        for deed in log.deeds():
            if deed.action is Action.OPENED and "type:image" in deed.query:
                for name in classes_named(deed.query, names):
                    yield name, deed.page
