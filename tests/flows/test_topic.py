"""A crawl for a topic, from the words that were typed to the pages that were kept, dropped and why."""

import json
import re
from pathlib import Path

import pytest

from commands import Ask
from folders import consistent, crawl, rows
from whimbrel.config import ConfigError
from whimbrel.testing.web import Page, TinyWeb

SUN, CATS = 24, 96
SOLAR = "Solar power comes from panels on a roof: in the sun a solar panel gives power to the house. "
PURR = "Cats sleep on the sofa and purr; the tom cat and the kitten eat fish in the evening. "


def pages() -> dict[str, Page]:
    """A site about cats, with a part about solar power that one link leads to."""
    site: dict[str, Page] = {
        "/": "<title>Home</title><h1>Welcome</h1>"
        + "".join(f"<p><a href=/cats/{number}>cat {number}</a></p>" for number in range(CATS))
        + "<p><a href=/energy>solar energy at home</a></p>",
        "/energy": "<title>Energy</title><p>Our pages on power."
        + "".join(f"<a href=/solar/{number}>solar panel {number}</a> " for number in range(SUN)),
    }
    for number in range(SUN):
        site[f"/solar/{number}"] = f"<title>Solar power, part {number}</title><p>{SOLAR * (3 + number % 4)} {number}"
    for number in range(CATS):
        site[f"/cats/{number}"] = f"<title>Cat {number}</title><p>{PURR * (3 + number % 4)} {number}"
    return site


def kept(folder: Path) -> set[str]:
    found = rows(folder, "SELECT url FROM url WHERE outcome = 'fetched' AND asset = 0")
    return {"/" + str(url).split("/", 3)[3] for (url,) in found}


def test_pages_of_the_topic_are_kept_and_all_say_why(tmp_path: Path) -> None:
    with TinyWeb(pages()) as web:
        examples = [web.url("/solar/1"), web.url("/solar/2")]
        ended = crawl(tmp_path, web.url("/"), subject="solar power", examples=examples, migrants=1)
        assert ended.why == "finished"
    solar = {f"/solar/{number}" for number in range(SUN)}
    assert kept(tmp_path) >= solar
    assert len(kept(tmp_path) - solar) <= 2
    told = dict(rows(tmp_path, "SELECT url, reason FROM url WHERE outcome IN ('fetched', 'refused')"))
    assert all("about “solar power”" in str(told[url]) for url in told if "/solar/" in str(url) or "/cats/" in str(url))
    ((rules,),) = rows(tmp_path, "SELECT count(*) FROM url WHERE outcome = 'refused' AND rule = 'topic'")
    assert int(str(rules)) >= CATS
    consistent(tmp_path)


def test_the_most_promising_links_come_first(tmp_path: Path) -> None:
    """Of a hundred links of the first page, one leads to the topic: within a third of the site all of it was found."""
    with TinyWeb(pages()) as web:
        examples = [web.url("/solar/1"), web.url("/solar/2")]
        ended = crawl(tmp_path, web.url("/"), subject="solar power", examples=examples, limit=SUN, migrants=1)
        assert ended.why == "limit"
        asked = [path for path in {request.path for request in web.log} if "/solar/" in path or "/cats/" in path]
    assert len(asked) < (SUN + CATS) * 0.7


def test_a_later_run_goes_on_with_what_was_learned(tmp_path: Path, ask: Ask) -> None:
    with TinyWeb(pages()) as web:
        crawl(tmp_path, web.url("/"), subject="solar power", examples=[web.url("/solar/1")], limit=10, migrants=1)
        crawl(tmp_path, web.url("/"), subject="solar power", limit=SUN, migrants=1)
    said = ask("status", "--repo", tmp_path, "--json")
    (request,) = json.loads(said.stdout)["requests"]
    assert (request["words"], request["found"]) == ("about “solar power”", SUN)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"subject": "the and of"}, "no word that says what it is about"),
        ({"subject": "submarines", "examples": ["/cats/1"]}, "no page given says 'submarines'"),
        ({"subject": "solar", "examples": ["/nowhere"]}, "answered 404"),
        ({"terms": "nowhere.toml"}, "cannot be read"),
    ],
)
def test_what_cannot_be_asked_for_is_said_before_anything_is_fetched(
    tmp_path: Path, options: dict[str, object], told: str
) -> None:
    from whimbrel.api import SeedError

    with TinyWeb(pages()) as web:
        given = {key: [web.url(str(one)) for one in value] if isinstance(value, list) else value
                 for key, value in options.items()}  # fmt: skip
        with pytest.raises(SeedError, match=told):
            crawl(tmp_path, web.url("/"), migrants=1, **given)
    assert kept(tmp_path) == set()


def test_a_file_whose_keywords_say_nothing_is_refused(tmp_path: Path) -> None:
    from whimbrel.api import SeedError

    terms = tmp_path / "terms.toml"
    terms.write_text('topic = "things"\n[keywords]\n"the" = 1.0\n"!!!" = 0.5\n')
    with TinyWeb(pages()) as web, pytest.raises(SeedError, match="no keyword of the file says anything"):
        crawl(tmp_path / "repo", web.url("/"), terms=str(terms), migrants=1)


def test_a_topic_in_another_script_keeps_what_is_about_it(tmp_path: Path) -> None:
    """Chinese is written without spaces, and compared by pairs of characters."""
    sun, cat = "太阳能电池板把阳光变成电力，屋顶上的太阳能很便宜。", "猫在沙发上睡觉，晚上吃鱼，小猫很可爱。"
    head = "<meta charset=utf-8><title>"
    site: dict[str, Page] = {f"/sun/{at}": f"{head}太阳能 {at}</title><p>{sun * (3 + at)}" for at in range(4)}
    site |= {f"/cat/{at}": f"{head}猫 {at}</title><p>{cat * (3 + at % 5)} {at}" for at in range(12)}
    site["/"] = f"{head}首页</title>" + "".join(f"<p><a href={path}>{path}</a>" for path in list(site))
    with TinyWeb(site) as web:
        crawl(tmp_path, web.url("/"), subject="太阳能", migrants=1)
    assert kept(tmp_path) == {f"/sun/{number}" for number in range(4)}


def test_a_strategy_that_is_none_is_named(tmp_path: Path) -> None:
    with TinyWeb(pages()) as web, pytest.raises(ConfigError, match="strategy"):
        crawl(tmp_path, web.url("/"), subject="solar", strategy="bread", migrants=1)


def test_all_judges_or_any(tmp_path: Path, ask: Ask) -> None:
    """Two kinds of pages, each about two things: kind and topic are asked for together."""
    head = "<title>{0} {1}</title>"
    offer = head + "<table><tr><th>what<td>{0}<tr><th>price<td>{1}</table><form><button>buy</button></form><p>{2}"
    story = head + "<article><h2>{0}</h2><blockquote>{1}</blockquote><p>{2}<p>{2}<ul><li>end</ul></article>"
    site: dict[str, Page] = {}
    for number in range(12):
        for name, form in (("offer", offer), ("story", story)):
            site[f"/{name}/sun/{number}"] = form.format("Solar power", number, SOLAR * 4)
            site[f"/{name}/cat/{number}"] = form.format("Cat", number, PURR * 4)
    site["/"] = "<title>Home</title>" + "".join(f"<a href={path}>{path}</a> " for path in site)
    with TinyWeb(site) as web:
        examples, like = [web.url("/offer/sun/1"), web.url("/story/sun/1")], [web.url("/offer/cat/1")]
        given = {"subject": "solar power", "examples": examples, "like": like, "migrants": 1}
        crawl(tmp_path, web.url("/"), **given, judges="all")
        strict = {path.rpartition("/")[0] for path in kept(tmp_path) if path != "/"}
        said = ask("pages", web.url("/offer/sun/3"), "--repo", tmp_path).stdout
        crawl(tmp_path, web.url("/"), **given, judges="any")
        loose = {path.rpartition("/")[0] for path in kept(tmp_path) if path != "/"}
    assert strict == {"/offer/sun"}
    assert loose == {"/offer/sun", "/offer/cat", "/story/sun"}
    assert re.search(r"fetched: built as asked for; [\d.]+ about “solar power”", " ".join(said.split())), said
