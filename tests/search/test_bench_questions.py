"""How answers to questions are judged."""

from pathlib import Path

import pytest

from whimbrel.bench.questions import ManualQuestion, chosen, headed_in, indexed_in, listed_in
from whimbrel.bench.relevance import ndcg


def test_ndcg_is_one_for_the_best_order_and_less_for_others() -> None:
    assert ndcg(["a", "b", "x"], {"a": 2, "b": 1}) == 1.0
    assert 0 < ndcg(["b", "a"], {"a": 2, "b": 1}) < 1
    assert ndcg(["x"] * 10 + ["a"], {"a": 1}) == 0.0


def test_questions_are_headings_and_right_is_what_the_answer_links_to(tmp_path: Path) -> None:
    (tmp_path / "faq").mkdir()
    (tmp_path / "one.html").touch()
    (tmp_path / "faq" / "a.html").write_text(
        '<h2>Why?</h2><a href="../one.html#x">1</a><a href="a.html">self</a><h2>None</h2><a href="../one.html">'
    )
    (tmp_path / "notes.html").write_text('<ul><li><p>Allow all <a href="one.html">ones</a> to fly (me)</p></ul>')
    assert list(headed_in(tmp_path, "faq/a.html", {"faq/a.html"})) == [ManualQuestion("Why?", frozenset({"one.html"}))]
    assert list(listed_in(tmp_path, "notes.html", set())) == [
        ManualQuestion("Allow all ones to fly", frozenset({"one.html"}))
    ]


def test_a_question_ends_before_the_sign_that_links_to_it(tmp_path: Path) -> None:
    (tmp_path / "one.html").touch()
    (tmp_path / "faq.html").write_text(
        '<h2>Why fly? <a href="#a">#</a></h2><a href="one.html">1</a>'
        '<dl><dt>Who sings?<dd><a href="one.html">1</a></dl>'
    )
    assert [item.question for item in headed_in(tmp_path, "faq.html", set())] == ["Why fly?", "Who sings?"]


def test_entries_of_an_index_ask_for_the_pages_they_lead_to(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.html").touch()
    (tmp_path / "Index.html").write_text(
        '<a href="one.html#index-a">bills, curved</a>: <a href="one.html">Bills</a> <a href="two.html#index-b">legs</a>'
        '<a href="two.html#index-c">bills, curved:</a> <a href="Index.html#index-d">this very page</a>'
    )
    assert indexed_in(tmp_path, "Index.html", {"Index.html"}) == [
        ManualQuestion("bills, curved", frozenset({"one.html", "two.html"}))
    ]


@pytest.mark.parametrize(("count", "kept"), [(4, 4), (5, 0)])
def test_what_many_answers_link_to_is_right_for_none(count: int, kept: int) -> None:
    assert len(chosen([ManualQuestion(str(at), frozenset({"all.html"})) for at in range(count)])) == kept
