"""Stock software lets us in by its own form, and out again."""

import shutil
from pathlib import Path

import dokuwiki as dokuwikis
import mediawiki as mediawikis
import pytest
import wordpress as wordpresses
from kept import crawl, pages

from commands import run
from folders import every_byte
from whimbrel.records.url import Url
from whimbrel.urls.normal import origin

pytestmark = pytest.mark.long
PASSWORD = "Kept-Pages-8-and-more"


def settle(folder: Path, url: str, login: str, fields: str, secret: str) -> list[str]:
    file = folder / "login.toml"
    file.write_text(
        f'[[site]]\nprefix = "{origin(Url(url))}/"\nlogin = "{login}"\nlogin_fields = {{ {fields} }}\n'
        f'login_secrets = {{ {secret} = "env:SITE_PASSWORD" }}\n'
        '[fetch]\ndirectives_off_hosts = ["127.0.0.1"]\n'  # what is for members alone asks not to be indexed
    )
    return ["--config", str(file)]


def test_a_wiki_that_only_members_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing := [path for path in dokuwikis.NEEDS if not Path(path).exists()]:
        pytest.skip(f"not installed here: {', '.join(missing)}")
    monkeypatch.setenv("SITE_PASSWORD", PASSWORD)
    with dokuwikis.dokuwiki(tmp_path / "dokuwiki", 12, member=("ada", PASSWORD)) as url:
        assert run("crawl", url, "--repo", str(tmp_path / "stranger")).returncode == 1
        given = settle(tmp_path, url, f"{url}?do=login", 'u = "ada"', "p")
        crawl(tmp_path / "kept", url, *given)
        titles = {str(page["title"]) for page in pages(tmp_path / "kept")}
        assert len([title for title in titles if "Modules" in title]) > 12
        assert PASSWORD.encode() not in every_byte(tmp_path / "kept")
        for session in (tmp_path / "dokuwiki/data/cache").iterdir():  # what it remembers of who is in
            shutil.rmtree(session) if session.is_dir() else session.unlink()
        done = run("refresh", "--all", "--repo", str(tmp_path / "kept"))
        assert done.returncode == 0, done.stderr


def test_what_a_blog_shows_its_author(
    wordpress: wordpresses.WordPress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", "Kept-Pages-8")
    given = settle(tmp_path, wordpress.url, f"{wordpress.url}wp-login.php", 'log = "admin"', "pwd")
    crawl(tmp_path / "kept", f"{wordpress.url}wp-admin/profile.php", *given, "--limit", "3")
    assert "Profile" in " ".join(str(page["title"]) for page in pages(tmp_path / "kept"))
    assert b"Kept-Pages-8" not in every_byte(tmp_path / "kept")


def test_an_encyclopaedia_by_its_login(
    mediawiki: mediawikis.MediaWiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its form counts as sent with its button alone, and holds a mark against forgery."""
    monkeypatch.setenv("SITE_PASSWORD", PASSWORD)
    mediawiki.maintain("createAndPromote.php", "--force", "Ada", PASSWORD)
    login = f"{mediawiki.url.rstrip('/')}/index.php?title=Special:UserLogin"
    given = settle(tmp_path, mediawiki.url, login, 'wpName = "Ada"', "wpPassword")
    crawl(tmp_path / "kept", f"{mediawiki.url.rstrip('/')}/index.php?title=Special:Preferences", *given, "--limit", "1")
    assert "Preferences" in " ".join(str(page["title"]) for page in pages(tmp_path / "kept"))


def test_a_wrong_password_is_said(
    wordpress: wordpresses.WordPress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", "not the one at all")
    given = settle(tmp_path, wordpress.url, f"{wordpress.url}wp-login.php", 'log = "admin"', "pwd")
    done = run("crawl", f"{wordpress.url}wp-admin/profile.php", "--repo", str(tmp_path / "kept"), *given)
    assert done.returncode == 1
    assert "did not let us in: it shows its form again" in " ".join((done.stdout + done.stderr).split())
