"""How many were there: who read which page, and for how many the readers of one address count."""

import logging
import sqlite3
from collections import defaultdict
from collections.abc import Mapping

from whimbrel.readers.contract import LogDamaged
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.opening import FILE
from whimbrel.repository.location import Where, located

VOICES_AN_ADDRESS = 3
"""A household or an office has some readers; a hundred from one address are a program, or count as so many."""

logger = logging.getLogger(__name__)


def readers_by_page(where: Where) -> dict[int, int]:
    """By key, how many read it, those of one address as their voices; empty where there is no log."""
    if not (located(where).beside / FILE).exists():
        return {}
    try:
        with ReaderLog(where) as log:
            voice = shared_voices(log.origins())
            read = log.readers_by_page()
    except (sqlite3.Error, LogDamaged) as error:
        logger.warning("who read which page could not be asked: %s", error)
        return {}
    return {key: len({voice.get(reader, reader) for reader in readers}) for key, readers in read.items()}


def shared_voices(origins: Mapping[int, str]) -> dict[int, int]:
    """The voice of each reader: their own number, or that of one of the first who began from the same address."""
    first: defaultdict[str, list[int]] = defaultdict(list)
    voices: dict[int, int] = {}
    for reader, origin in sorted(origins.items()):
        known = first[origin]
        if len(known) < VOICES_AN_ADDRESS:
            known.append(reader)
        voices[reader] = reader if reader in known else known[reader % VOICES_AN_ADDRESS]
    return voices
