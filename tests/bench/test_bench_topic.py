"""`bench topic` on a made-up site with a table of contents: what belongs to a subject, what is a topic and found."""

from pathlib import Path

import pytest

from whimbrel.bench import topic, topic_cost
from whimbrel.bench.server import NGINX
from whimbrel.bench.structure_site import NotThatSite
from whimbrel.bench.topic_sites import ContentsSite, TopicSite

TEXTS = {
    "Cats": "Cats purr and sleep on the sofa; a kitten chases the cat. ",
    "Solar power": "Solar power comes from panels: a solar panel turns sun into power. ",
    "Sailing boats": "A sailing boat needs wind in its sails, a rudder and a crew. ",
}
PAGES = {"Cats": 200, "Solar power": 24, "Sailing boats": 22}


@pytest.fixture
def site(tmp_path: Path) -> TopicSite:
    """Each part has a page with the table of its pages; those of the second and third are linked last."""
    parts = list(TEXTS)
    table = _table([(f"{at}.html", part) for at, part in enumerate(parts)])
    (tmp_path / "index.html").write_text(f"<title>All</title>{table}")
    for at, part in enumerate(parts):
        pages = [(f"{at}/{number}.html", f"{part} {number}") for number in range(PAGES[part])]
        (tmp_path / f"{at}.html").write_text(f"<title>{part}</title><p>{TEXTS[part] * 3}</p>{_table(pages)}")
        (tmp_path / str(at)).mkdir()
        for name, title in pages:
            (tmp_path / name).write_text(f"<title>{title}</title><p>{TEXTS[part] * 4} {title}</p>")
    return TopicSite("made up", "none", tmp_path, "index.html")


def _table(pages: list[tuple[str, str]]) -> str:
    items = "".join(f'<li class="toctree-l1"><a href="{name}">{title}</a></li>' for name, title in pages)
    return f'<div class="toctree-wrapper"><ul>{items}</ul></div>'


def test_subjects_are_what_the_table_of_contents_says(site: TopicSite) -> None:
    fitting, left_out = ContentsSite(site).subjects()
    assert {one.title: len(one.pages) for one in fitting} == {"Solar power": 25, "Sailing boats": 23}
    assert [(one.title, one.why) for one in left_out] == [("Cats", "more than 15 % of the pages")]


def test_a_crawl_for_a_topic_finds_it_before_breadth_first_does(site: TopicSite) -> None:
    ways = [topic.OURS, ("shark", "learned", 3), ("fish", "learned", 3), ("learned", "paper", 3)]
    report = topic.run([site], 1, 6, lambda words: None, ways)
    assert {one.title for one in report.topics} == {"Solar power", "Sailing boats"}
    for one in report.topics:
        assert one.breadth[1] < 0.1
        assert one.runs[0].recall[1] > 0.9
        assert one.runs[0].harvest[0] > one.pages * one.breadth[0] / 25
    assert all(goal.reached for goal in topic.goals(report)), topic.goals(report)


def test_the_same_seed_gives_the_same_figures(site: TopicSite) -> None:
    first, second = (topic.run([site], 2, 1, lambda words: None, [topic.OURS]).topics for _ in range(2))
    assert first == second


def test_a_site_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    missing = TopicSite("gone", "gone-doc", tmp_path / "none", "index.html")
    assert topic.run([missing], 1, 1, lambda words: None).absent == ("gone-doc",)
    with pytest.raises(NotThatSite, match="gone-doc"):
        ContentsSite(missing)


@pytest.mark.skipif(not NGINX.exists(), reason="nginx is not installed")
def test_what_judging_adds_is_measured_by_turns_beside_what_is_spent_once(site: TopicSite, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    said: list[str] = []
    report = topic.run([site], 1, 1, said.append, [topic.OURS], turns=1, work=work)
    (cost,) = report.costs
    assert cost.pages == 250
    assert 0 < cost.kept < 60
    assert cost.plain > cost.plain_once > 0
    assert cost.topic > cost.topic_once > cost.plain_once
    assert [goal.value for goal in topic.goals(report)[-1:]] == [cost.added]
    assert any(words.startswith("turn 1: ") for words in said)
    assert not list(work.iterdir())


def test_the_cost_of_a_page_leaves_out_what_is_spent_once() -> None:
    cost = topic_cost.CrawlJudgingCost("made up", "Cats", 101, 7, 0.7, 0.5, 1.05, 0.8)
    assert (cost.plain_ms, cost.topic_ms) == (pytest.approx(2.0), pytest.approx(2.5))
    assert cost.added == pytest.approx(0.25)
