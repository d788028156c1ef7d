"""Words that say nothing of what is asked for, and what they tell of its language."""

import pytest

from whimbrel.parse.stops import content, foreign
from whimbrel.parse.words import split


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("wie lese ich eine datei", "de"),
        ("hur läser jag en fil", "sv"),
        ("¿cómo hago una copia de seguridad?", "es"),
        ("what is new in de_DE and die", ""),
        ("de la cruz", ""),  # a name
        ("threads that die on exit", ""),
        ("c d n t s", ""),
        ("max_connections shared_buffers work_mem wal_level", ""),
    ],
)
def test_a_question_in_another_language_is_known_by_its_little_words(typed: str, language: str) -> None:
    assert foreign(split(typed), ["en"]) == language
    assert foreign(split(typed), []) == language
    assert foreign(split(typed), ["en", language or "en"]) == ""


def test_the_little_words_of_another_language_weigh_nothing() -> None:
    assert content(split("wie lese ich eine datei"), ["en"]) == ["lese", "datei"]
    assert content(split("how do i read a file"), ["en"]) == ["read", "file"]
    assert content(split("de la cruz"), ["en"]) == ["de", "la", "cruz"]
