"""`whimbrel bench languages`: what counts as translated, and what is counted as right."""

from pathlib import Path

import pytest

from whimbrel.bench import language_texts
from whimbrel.bench.language_texts import Guide, KnownText, guide_texts
from whimbrel.bench.languages import OURS, LanguagesReport, goals, judged

ENGLISH = "Before you begin you should save all of your data and read this guide to its end."
GERMAN = "Bevor Sie beginnen, sollten Sie alle Daten sichern und diese Anleitung ganz lesen."


def test_pages_left_in_english_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "en/one.html": f"<p>{ENGLISH}</p>",
        "en/two.html": f"<p>{ENGLISH}</p>",
        "de/one.html": f"<p>{GERMAN}</p><pre>{ENGLISH * 9}</pre>",
        "de/two.html": f"<p>{GERMAN}</p><p>{ENGLISH}</p>",
        "images/a.html": GERMAN,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(language_texts, "newest", lambda package, cache, say: tmp_path)  # the pool of packages
    found = guide_texts(Guide("guide", ("one",), ".", "en"), tmp_path, 12, lambda words: None)
    assert sorted((one.language, one.text.split()[0]) for one in found) == [
        ("de", "Bevor"), ("en", "Before"), ("en", "Before"),
    ]  # fmt: skip


def test_silence_is_neither_right_nor_wrong() -> None:
    told = {"a": "de", "b": "", "c": "fr"}
    some = [KnownText("guide", "de", name) for name in told]
    score = judged(OURS, "guides", some, lambda one: told[one.text])
    assert (score.right, score.right_or_silent, score.mistaken) == (1, 2, ["de → fr"])
    assert (score.worst, score.languages) == ("de", 1)
    reached = {goal.figure: goal.reached for goal in goals(LanguagesReport([score], []))}
    assert not reached["told right or not at all (guides)"]
    assert not reached["languages (guides)"]
    assert goals(LanguagesReport([], ["no package"])) == []
