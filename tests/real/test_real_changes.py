"""Stock software that nobody edits raises no alarm; an edit is told once, with the pages that show it named beneath."""

from pathlib import Path

import mediawiki as mediawikis
import pytest
import wordpress as wordpresses
from kept import changes, crawl, refresh

pytestmark = pytest.mark.long

REFRESHES = 5


def test_a_blog(wordpress: wordpresses.WordPress, tmp_path: Path) -> None:
    """Who comments without an address has a picture from one of three hosts, by lot."""
    repo, origin = tmp_path / "kept", wordpress.url
    for post in range(4, 16):
        wordpress.comment(post, "Who are you all?", "")
    crawl(repo, origin)
    for _ in range(REFRESHES):
        refresh(repo, "--all")
    assert changes(repo) == []

    harvest = wordpress.post(
        "Bean harvest", "The harvest festival begins behind the barn.\n\nBring a basket and a song."
    )
    refresh(repo, "--all")
    told = {(line["what"], line["url"].removeprefix(origin)): line for line in changes(repo)}
    assert {name for name, line in told.items() if not line["because_of"]} == {("new", f"?p={harvest}")}
    assert {url.removeprefix(origin) for url in told["new", f"?p={harvest}"]["also_on"]} >= {"", "?cat=1", "?paged=2"}

    wordpress.edit(5, "The bean number 1 is sown in December.\n\nIt wants two hours of sun, and is picked in spring.")
    wordpress.comment(7, "Slugs ate all of mine.", "Mary")
    refresh(repo, "--all")
    later = [line for line in changes(repo, "--kind", "changed") if not line["because_of"]]
    said = {line["url"].removeprefix(origin): line["summary"] for line in later}
    assert "-[April.] +[December.]" in said["?p=5"]
    assert "Slugs ate all of mine." in said["?p=7"]


def test_a_wiki(mediawiki: mediawikis.MediaWiki, tmp_path: Path) -> None:
    repo = tmp_path / "kept"
    crawl(repo, mediawiki.url)
    for _ in range(REFRESHES):
        refresh(repo, "--all")
    assert changes(repo) == []

    title, text = next(iter(mediawikis.articles(40).items()))
    mediawiki.edit(title, text.replace("See ", "Compare it with "))
    refresh(repo, "--all")
    told = [line for line in changes(repo) if not line["because_of"]]
    assert len(told) == 1
    assert "-[See] +[Compare it with]" in told[0]["summary"]
    assert not any("oldid" in spot["after"] for spot in told[0]["where"])


def test_a_blog_of_one_second(wordpress: wordpresses.WordPress, tmp_path: Path) -> None:
    """Of posts of the same second the database gives now the one first, now the other."""
    repo, origin = tmp_path / "kept", wordpress.url
    peas = [
        wordpress.post(f"Pea {number}", f"Peas of row {number} climb.", "2020-01-01 10:00:00") for number in range(6)
    ]
    crawl(repo, origin)
    for pea in peas[:REFRESHES]:
        wordpress.comment(pea, "Mine too.", "Mary")
        refresh(repo, "--all")
    told = {line["url"].removeprefix(origin) for line in changes(repo) if not line["because_of"]}
    assert told == {f"?p={pea}" for pea in peas[:REFRESHES]}
