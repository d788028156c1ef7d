"""Stock software is crawled whole: what its readers can reach is kept."""

from pathlib import Path

import cgit as cgits
import mediawiki as mediawikis
import pytest
import wordpress as wordpresses
from kept import crawl, pages

pytestmark = pytest.mark.long


def test_every_article_of_a_wiki(mediawiki: mediawikis.MediaWiki, tmp_path: Path) -> None:
    crawl(tmp_path / "kept", mediawiki.url)
    titles = {str(page["title"]).removesuffix(" - Python Wiki") for page in pages(tmp_path / "kept")}
    assert titles >= set(mediawikis.articles(40)) - {"Main Page"}


def test_every_post_of_a_blog(wordpress: wordpresses.WordPress, tmp_path: Path) -> None:
    crawl(tmp_path / "kept", wordpress.url)
    titles = {str(page["title"]).partition(" – ")[0] for page in pages(tmp_path / "kept")}
    assert titles >= {f"Bean {number}" for number in range(12)}


def test_the_files_of_a_repository(cgit: cgits.Cgit, tmp_path: Path) -> None:
    crawl(tmp_path / "kept", cgit.url, "--limit", "3000")
    addresses = {str(page["url"]) for page in pages(tmp_path / "kept")}
    assert addresses >= {f"{cgit.url}modules/tree/src/part{number}/module{number}.txt" for number in range(6)}
