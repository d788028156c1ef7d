"""What readers did moves answers, where a weight is set, and says so."""

from pathlib import Path

from whimbrel.readers.log import ReaderLog
from whimbrel.readers.voices import NEUTRAL, RENEW_SECONDS, Voices
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url
from whimbrel.urls.normal import key as key_of

TIDES, GARDEN = Url("http://a.example/tides"), Url("http://a.example/garden")


def liked(log: ReaderLog, page: Url, readers: range) -> None:
    log.note(
        Deed(reader, 10.0, page, 1, action, 1.0, "the tides")
        for reader in readers
        for action in (Action.SCROLL, Action.COPY, Action.PRINT)
    )


def test_opinions_are_worked_out_beside_the_answering_and_told_in_words(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        liked(log, TIDES, range(1, 6))
        voices = Voices(log, lambda _: 0)
        keys = [key_of(TIDES), key_of(GARDEN)]
        assert voices.values("the tides", keys) in ([NEUTRAL, NEUTRAL], voices.values("The  TIDES", keys))
        voices.wait()
        told, silent = voices.values("The  TIDES", keys)
        assert told > NEUTRAL == silent
        assert voices.told("the tides", key_of(TIDES)) == (
            "5 readers: readers who scrolled also copied from it and printed it"
        )
        assert voices.told("the tides", key_of(GARDEN)) == ""
        voices.forget()
        assert voices._known == {}


def test_what_is_known_is_left_alone_for_a_while(tmp_path: Path) -> None:
    now = [1000.0]
    with ReaderLog(tmp_path) as log:
        voices = Voices(log, lambda _: 0, clock=lambda: now[0])
        voices.renew()
        liked(log, TIDES, range(1, 6))
        assert voices.values("", [key_of(TIDES)]) == [NEUTRAL]
        voices.wait()
        assert voices.values("", [key_of(TIDES)]) == [NEUTRAL], "the minute is not over"
        now[0] += RENEW_SECONDS
        voices.values("", [key_of(TIDES)])
        voices.wait()
        assert voices.values("", [key_of(TIDES)])[0] > NEUTRAL
