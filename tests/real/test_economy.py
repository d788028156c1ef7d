"""What stock software costs: requests a kept page, and that nothing is lost beside a crawl that asks for everything."""

import shutil
import sqlite3
import subprocess
from pathlib import Path

import cgit as cgits
import mediawiki as mediawikis
import pytest
import wordpress as wordpresses
from kept import crawl, pages

pytestmark = pytest.mark.long


def requests(folder: Path) -> int:
    """What was asked for, robots.txt, sitemaps and feeds included."""
    both = "(SELECT count(*) FROM url WHERE status > 0) + (SELECT count(*) FROM robots WHERE status > 0)"
    with sqlite3.connect(folder / "crawl.sqlite") as database:
        return int(database.execute(f"SELECT {both}").fetchone()[0])


def addresses(folder: Path) -> set[str]:
    return {str(page["url"]) for page in pages(folder)}


@pytest.mark.parametrize(("articles", "most"), [(12, 4.5), (21, 3), (50, 3), (120, 3)])
def test_a_wiki_costs_three_requests_a_page_and_loses_none(tmp_path: Path, articles: int, most: float) -> None:
    """What stands alone and two of each kind of view, some forty requests, are more than a dozen pages may cost."""
    if not all(Path(path).exists() for path in mediawikis.NEEDS):
        pytest.skip("needs the Debian packages mediawiki, php-sqlite3 and python3-doc")
    with mediawikis.mediawiki(tmp_path / "wiki", articles) as wiki:
        crawl(tmp_path / "some", wiki.url)
        crawl(tmp_path / "all", wiki.url, "--exhaustive")
    assert addresses(tmp_path / "some") == addresses(tmp_path / "all")
    kept = len(addresses(tmp_path / "some"))
    assert requests(tmp_path / "some") <= most * kept
    assert requests(tmp_path / "all") > 8 * kept


def test_another_wiki_loses_none_either(dokuwiki: str, tmp_path: Path) -> None:
    crawl(tmp_path / "some", dokuwiki)
    crawl(tmp_path / "all", dokuwiki, "--exhaustive")
    assert len(addresses(tmp_path / "all")) > 50
    assert addresses(tmp_path / "some") == addresses(tmp_path / "all")
    assert requests(tmp_path / "some") <= 3 * len(addresses(tmp_path / "some"))


def test_a_blog_is_crawled_as_before(wordpress: wordpresses.WordPress, tmp_path: Path) -> None:
    crawl(tmp_path / "some", wordpress.url)
    crawl(tmp_path / "all", wordpress.url, "--exhaustive")
    assert addresses(tmp_path / "some") == addresses(tmp_path / "all")


def test_views_by_commit_are_bounded_and_the_present_is_kept(cgit: cgits.Cgit, tmp_path: Path) -> None:
    crawl(tmp_path / "some", cgit.url)
    crawl(tmp_path / "all", cgit.url, "--exhaustive")
    some, every = addresses(tmp_path / "some"), addresses(tmp_path / "all")
    assert {page for page in every if "?" not in page} <= some
    assert requests(tmp_path / "some") < requests(tmp_path / "all") / 2
    newest, *older = history(cgit.repository)
    assert len(older) == 59
    # The newest is shown without its id too. Which of the two is the copy depends on which came first.
    assert {newest, *older} - shown(some) <= {newest}, "although they differ in a number alone"
    assert {newest, *older} - shown(every) <= {newest}


def history(repository: Path) -> list[str]:
    command = ["git", "-C", str(repository), "rev-list", "main"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def shown(kept: set[str]) -> set[str]:
    """The commits that have a page of their own."""
    return {page.rpartition("=")[2] for page in kept if "/modules/commit/?id=" in page}


def test_every_commit_of_a_real_history_is_kept(cgit: cgits.Cgit, tmp_path: Path) -> None:
    ours = Path(__file__).resolve().parents[2]
    if not (ours / ".git").exists():
        pytest.skip("needs a history: this is no clone")
    shutil.rmtree(cgit.repository)
    subprocess.run(["git", "clone", "-q", "--bare", ours, cgit.repository], check=True)

    def git(*words: str) -> str:
        command = ["git", "-C", str(cgit.repository), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    last = git("rev-list", "--reverse", "HEAD").split()[:30][-1]
    for branch in git("for-each-ref", "--format=%(refname)").split():
        git("update-ref", "-d", branch)
    git("update-ref", "refs/heads/main", last)
    git("symbolic-ref", "HEAD", "refs/heads/main")
    crawl(tmp_path / "some", cgit.url)
    kept = addresses(tmp_path / "some")
    assert set(history(cgit.repository)) - shown(kept) <= {last}, "the newest is shown without its id too"
    assert requests(tmp_path / "some") <= 3 * len(kept)
