"""`whimbrel bench text`: how a text is judged, which blocks a truth is made of, and that no page teaches itself."""

import pytest

from whimbrel.bench.text import SHIPPED, SITES, TextReport, TextScore, folds, goals
from whimbrel.bench.text_pages import f1, shares
from whimbrel.bench.text_training import LEAST_SITES, Marked, Names, learn, marked, scores_of, with_names
from whimbrel.parse.block_traits import HeadSaid
from whimbrel.parse.blocks import blocks_of
from whimbrel.parse.document import tree_of
from whimbrel.parse.main_part import scorer

PROSE = "Whimbrels breed in the subarctic, and winter on coasts."


def page(site: str, body: str, main: str) -> Marked:
    blocks = blocks_of(tree_of(body.encode(), "text/html; charset=utf-8")[0])
    return marked(site, blocks, HeadSaid(), [len(text.split()) for text in blocks.texts], shares(blocks.texts, main))


def many(sites: int = LEAST_SITES + 2) -> list[Marked]:
    html = f"<ul class=menu>{'<li>Home' * 9}</ul><div class=story>{f'<p>{PROSE}</p>' * 9}</div>"
    return [page(f"site{at}", html, PROSE * 9) for at in range(sites)]


@pytest.mark.parametrize(
    ("text", "truth", "value"),
    [("a b", "A b", 1.0), ("a a b", "a b", 0.8), ("a", "b", 0.0), ("", "", 1.0), ("a", "", 0.0), ("", "a", 0.0)],
)
def test_f1_over_words(text: str, truth: str, value: float) -> None:
    assert f1(text, truth) == pytest.approx(value)


def test_blocks_of_a_truth_are_found_by_runs_of_words() -> None:
    texts = ["Home", "Whimbrel", "they breed in the far north", "cookies are used by this site"]
    assert shares(texts, "Whimbrel they breed in the far north") == [0.0, 1.0, 1.0, 0.0]


def test_of_the_same_words_in_menu_and_text_those_in_the_text_are_meant() -> None:
    story = "they breed in the far north and winter on coasts"
    texts = ["Shop", "Birds", "Contact us now please do", "Imprint", *["x"] * 9, "Birds", story]
    assert shares(texts, f"Birds {story}")[1] == 0.0
    assert shares(texts, f"Birds {story}")[-2:] == [1.0, 1.0]


def test_pages_of_a_site_are_held_out_together() -> None:
    sites = [f"{at}.example" for at in range(40)]
    assert folds(sites * 2)[:40] == folds(sites)
    assert len(set(folds(sites))) == 5


def test_no_page_teaches_its_own_names() -> None:
    pages = many()
    odd = page("odd", f"<div class=menu><p>{PROSE}</p></div>", PROSE)
    names = Names([*pages, odd])
    assert names.worth("odd")["menu"] < names.worth()["menu"] < 0 < names.worth()["story"]
    assert not Names(pages[:3]).worth()


def test_the_same_pages_give_the_same_model() -> None:
    pages = many(40)
    model = learn(pages)
    assert learn(pages) == model
    rows = with_names(pages[0], model.worth)
    scores = scores_of(model, rows)
    assert scores[:9].max() < scores[9:].min()
    one_by_one = scorer(model)
    assert [one_by_one(row) for row in rows.tolist()] == pytest.approx(scores.tolist())
    few = scores_of(model.quick, rows)
    assert few[:9].max() < 0 < few[9:].min(), "the first trees alone tell it too"


def test_goals_compare_within_a_run() -> None:
    def score(name: str, mean: float, milliseconds: float | None) -> TextScore:
        return TextScore(name, mean, {"forum": mean - 0.1, "article": mean}, "", 0.0, milliseconds)

    report = TextReport(
        2, 2, [score(SITES, 0.8, None), score(SHIPPED, 0.9, 10.0), score("trafilatura", 0.75, 100.0)], []
    )
    assert {goal.figure: goal.reached for goal in goals(report)} == {
        f"mean F1 ({SITES})": True,
        f"F1 of the worst kind ({SITES}: forum)": True,
        f"mean F1 above trafilatura's ({SITES})": True,
        f"CPU as a share of trafilatura's ({SHIPPED})": True,
    }
    assert goals(TextReport(2, 2, [], [])) == []
