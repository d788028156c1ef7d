"""What readers did moves answers, where a weight is set, and says so."""

from pathlib import Path

from whimbrel.readers.attendance import VOICES_AN_ADDRESS, readers_by_page, shared_voices
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
            f"5 readers: those who scrolled also copied from it and printed it ({told:.2f})"
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


def test_a_thousand_readers_of_one_machine_move_no_page(tmp_path: Path) -> None:
    """A hundred honest readers like one page; a thousand of one address open the other, and do all there is to do."""
    with ReaderLog(tmp_path) as log:
        origins = ["elsewhere-" + str(number) for number in range(100)] + ["one machine"] * 1000
        for number, origin in enumerate(origins):
            log.join(f"reader-{number}", origin, float(number) * 86_400)
        honest = [deed for reader in range(1, 101) for deed in asked(reader, TIDES)]
        log.note(honest)
        liked(log, TIDES, range(1, 101))
        voices = Voices(log, lambda _: 400)
        voices.renew()
        before = voices.values("the tides", [key_of(TIDES), key_of(GARDEN)])
        log.note(deed for reader in range(101, 1101) for deed in asked(reader, GARDEN))
        liked(log, GARDEN, range(101, 1101))
        voices.renew()
        after = voices.values("the tides", [key_of(TIDES), key_of(GARDEN)])
        assert before[0] > before[1]
        assert after[0] > after[1], "the order stays"
        assert max(abs(one - other) for one, other in zip(before, after, strict=True)) < 0.1
    read = readers_by_page(tmp_path)
    assert read == {key_of(TIDES): 100, key_of(GARDEN): VOICES_AN_ADDRESS}
    assert readers_by_page(tmp_path / "nothing") == {}


def asked(reader: int, opened: Url) -> list[Deed]:
    shown = [
        Deed(reader, 10.0, page, 1, Action.SHOWN, 1.0, "the tides", rank) for rank, page in ((1, TIDES), (2, GARDEN))
    ]
    return [*shown, Deed(reader, 11.0, opened, 1, Action.OPENED, 1.0, "the tides")]


def test_readers_of_one_address_share_a_few_voices() -> None:
    voices = shared_voices({1: "here", 2: "there", **dict.fromkeys(range(3, 50), "here")})
    assert voices[2] == 2
    assert len({voice for reader, voice in voices.items() if reader != 2}) == VOICES_AN_ADDRESS
    assert voices[1] == 1
