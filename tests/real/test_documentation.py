"""A documentation site of today: every page is kept once, and a new build tells what was edited, not what was built."""

import sqlite3
from pathlib import Path

import docusaurus as docusauruses
import pytest
from kept import changes, crawl, pages, refresh

pytestmark = pytest.mark.long


def test_a_site_of_two_releases_and_a_blog(docusaurus: docusauruses.Docusaurus, tmp_path: Path) -> None:
    repo = tmp_path / "kept"
    crawl(repo, docusaurus.url)
    kept = [page["url"] for page in pages(repo) if page["type"] == "text/html"]
    assert sorted(kept) == sorted(docusaurus.pages()), "every page, once"
    with sqlite3.connect(repo / "crawl.sqlite") as database:
        requests = database.execute("SELECT count(*) FROM url WHERE status > 0 AND asset = 0").fetchone()[0]
    assert requests <= 1.2 * len(kept), "a page costs little more than one request"

    refresh(repo, "--all")
    assert changes(repo) == []

    bundles = docusaurus.bundles()
    docusaurus.edit("dunlin", "at low water", "in the salt marsh")
    docusaurus.build()
    assert docusaurus.bundles() - bundles, "the build has other bundles"
    refresh(repo, "--all")
    (told,) = changes(repo)
    assert (told["what"], told["url"]) == ("changed", f"{docusaurus.url}docs/next/dunlin/")
    assert "+[in the salt marsh" in told["summary"]
