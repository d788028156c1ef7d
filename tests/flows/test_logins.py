"""Logging in by a site's own form: once, again when the session is over, and not for ever where it is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from commands import asking
from folders import every_byte, outcomes
from whimbrel.testing.reply import redirect
from whimbrel.testing.web import Reply, Request, TinyWeb

Told = Callable[..., tuple[int, dict[str, object], str]]
PASSWORD = "correct-horse-battery-7391"
PAGES = 8
EVERYTHING = {"/", *(f"/page/{number}" for number in range(PAGES))}


class House(TinyWeb):
    """A site with a login form: a mark against forgery goes with the cookie of the page that shows it, each login
    begins a session of its own, `rotates` gives another cookie with every answer, `ends_after` pages one is over."""

    def __init__(self, *, password: str = PASSWORD, rotates: bool = False, ends_after: int = 0, form: str = "") -> None:
        self.password, self.rotates, self.ends_after = password, rotates, ends_after
        self.form = form
        self.ends_at = ""
        self.logins = 0
        self.tries = 0
        self.shown = 0
        self.valid: set[str] = set()
        self.given: set[str] = set()
        paths = ["/", *(f"/page/{number}" for number in range(PAGES))]
        super().__init__(dict.fromkeys(paths, self._meet) | {"/login": self._door, "/robots.txt": ""})

    def _door(self, request: Request) -> Reply:
        if request.method == "GET":
            mark = f"mark-{self.logins}-before-login"
            fields = f"<input type=hidden name=csrf value={mark}><input name=user><input type=password name=pass>"
            form = self.form or f"<form method=post action=login>{fields}"
            words = f"<title>Log in</title><form action=/find><input name=q></form>{form}<button name=go value=1>In"
            return Reply(words.encode(), headers=(("Set-Cookie", f"csrf={mark}; Path=/; HttpOnly"),))
        self.tries += 1
        sent = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        mark = f"mark-{self.logins}-before-login"
        genuine = sent.get("csrf") == mark and f"csrf={mark}" in request.headers.get("cookie", "")
        if not genuine or (sent.get("user"), sent.get("pass"), sent.get("go")) != ("ada", self.password, "1"):
            return Reply(b"<p>No.<form method=post><input name=user><input type=password name=pass></form>")
        self.logins += 1
        return Reply(b"", status=303, headers=(("Location", "/"), ("Set-Cookie", self._session())))

    def _session(self) -> str:
        value = f"session-{self.logins}-{len(self.given)}-of-ada"
        self.valid = {value}
        self.given.add(value)
        return f"sid={value}; Path=/; HttpOnly; Max-Age=3600"

    def _meet(self, request: Request) -> Reply:
        if not any(f"sid={value}" in request.headers.get("cookie", "") for value in self.valid):
            return redirect("/login")
        self.shown += 1
        if (self.ends_after and self.shown % self.ends_after == 0) or request.path == self.ends_at:
            self.valid = set()
            return redirect("/login")
        links = "".join(f"<a href='/page/{number}'>{number}</a>" for number in range(PAGES))
        words = f"<p>What the house says of {request.path}. " + f"{request.path[-1]} words of it. " * 30
        page = f"<title>{request.path}</title>{links}{words} {request.headers['cookie']} {PASSWORD}"
        return Reply(page.encode(), headers=(("Set-Cookie", self._session()),) if self.rotates else ())


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Told:
    monkeypatch.setenv("HOUSE_PASSWORD", PASSWORD)
    monkeypatch.chdir(tmp_path)

    def told(*arguments: object) -> tuple[int, dict[str, object], str]:
        done = asking(capfd)(*map(str, arguments), "--json")
        return done.returncode, json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}, done.stderr

    return told


def settle(house: House, more: str = "", login: str = "/login") -> None:
    """The settings of a site with a login, in the current folder."""
    Path("whimbrel.toml").write_text(
        f'[[site]]\nprefix = "{house.url()}"\nlogin = "{house.url(login)}"\n'
        f'login_fields = {{ user = "ada" }}\nlogin_secrets = {{ pass = "env:HOUSE_PASSWORD" }}\n{more}'
    )


def kept(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome in ("fetched", "unchanged")}


@pytest.mark.parametrize("rotates", [False, True])
def test_a_form_lets_us_in_and_no_secret_is_kept(tmp_path: Path, command: Told, rotates: bool) -> None:
    with House(rotates=rotates) as house:
        settle(house)
        folder = tmp_path / "kept"
        code, answer, said = command("crawl", house.url(), "--repo", folder, "--delay", "0.01")
        assert (code, answer["ended"], kept(folder)) == (0, "finished", EVERYTHING), (answer, said)
        assert house.logins == 1
        held = every_byte(folder)
        assert b"What the house says of" in held
        assert not [secret for secret in {PASSWORD, *house.given} if secret.encode() in held]
        assert b"HOUSE_PASSWORD" in held  # so that a refresh finds it
        Path("whimbrel.toml").unlink()
        code, answer, said = command("refresh", "--all", "--repo", folder, "--delay", "0.01")
        assert (code, answer["ended"], house.logins) == (0, "finished", 2), (answer, said)
    private = command("pages", "--repo", folder)[1]
    assert private


def test_a_session_that_is_over_is_renewed(tmp_path: Path, command: Told) -> None:
    with House(ends_after=5) as house:
        settle(house)
        code, answer, said = command("crawl", house.url(), "--repo", tmp_path / "kept", "--delay", "0.01")
        assert (code, answer["ended"], kept(tmp_path / "kept")) == (0, "finished", EVERYTHING), (answer, said)
        assert house.logins >= 3


def test_a_page_that_ends_every_session_is_left_alone(tmp_path: Path, command: Told) -> None:
    with House() as house:
        settle(house)
        house.ends_at = "/page/3"
        code, answer, said = command("crawl", house.url(), "--repo", tmp_path / "kept", "--delay", "0.01")
        assert (code, answer["ended"]) == (0, "finished"), (answer, said)
        assert kept(tmp_path / "kept") == EVERYTHING - {"/page/3"}
        assert outcomes(tmp_path / "kept")["/page/3"] == "refused:avoid"
        assert house.logins <= 6


def test_a_login_that_lets_in_and_shows_nothing_is_not_repeated(tmp_path: Path, command: Told) -> None:
    with House(ends_after=1) as house:
        settle(house, 'login_check = ""\n')
        code, answer, _ = command("crawl", house.url("/page/1"), "--repo", tmp_path / "kept")
        assert (code, answer["ended"], house.tries) == (1, "session", 1)


def test_a_login_that_is_refused_is_said_and_tried_ever_more_seldom(
    tmp_path: Path, command: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watch asks a second time after an hour and not after five minutes; a person is believed to have mended it."""
    folder = tmp_path / "kept"
    with House() as house:
        settle(house)
        assert command("crawl", house.url(), "--repo", folder)[0] == 0
        monkeypatch.setenv("HOUSE_PASSWORD", "not the one")
        for tries in (1, 1):
            _, _, said = command("watch", "--all", "--rounds", "1", "--repo", folder)
            assert house.tries - 1 == tries, said
        assert "its login was refused once, and is tried again from" in said
        code, answer, said = command("refresh", "--all", "--repo", folder)
        assert (code, answer["ended"], house.tries - 1) == (1, "session", 2), said
        words = str(answer["words"])
        assert "did not let us in: it shows its form again" in words
        assert "its login in the settings" in words
        assert "not the one" not in words + said
        monkeypatch.setenv("HOUSE_PASSWORD", PASSWORD)
        assert command("refresh", "--all", "--repo", folder)[0] == 0
        assert kept(folder) == EVERYTHING
        assert house.logins == 2
        command("watch", "--all", "--rounds", "1", "--repo", folder)
        assert house.logins == 3  # what was refused before is forgotten


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("<p>Scripts only.", "no form with the fields user, pass: its forms have the fields (q)"),
        ("<form method=post><input name=name><input type=password name=pw>", "(name, pw"),
        ("<form method=post action=//evil.example/><input name=user><input type=password name=pass>", "elsewhere"),
    ],
)
def test_a_form_that_cannot_be_filled_in_is_said(tmp_path: Path, command: Told, form: str, words: str) -> None:
    with House(form=form) as house:
        settle(house)
        code, answer, _ = command("crawl", house.url(), "--repo", tmp_path / "kept")
        assert (code, answer["ended"], house.tries) == (1, "session", 0)
        assert words in str(answer["words"])


def test_words_of_those_who_are_in_can_be_named(tmp_path: Path, command: Told) -> None:
    with House() as house:
        settle(house, 'login_check = "Log out"\n')
        _, answer, _ = command("crawl", house.url(), "--repo", tmp_path / "kept")
        assert "does not say “Log out”" in str(answer["words"])
        settle(house, 'login_check = "What the house says"\n')
        assert command("crawl", house.url(), "--repo", tmp_path / "kept")[0] == 0


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('login_secrets = { pass = "hunter2" }', "login_secrets: pass: expected env:NAME or file:PATH"),
        ('login = "https://example.org/login"', "a login needs both"),
        ('login = "https://sso.example.com/"\nlogin_secrets = { p = "env:HOUSE_PASSWORD" }', "its form is not on"),
    ],
)
def test_settings_of_a_login_that_cannot_work_are_refused(
    tmp_path: Path, command: Told, lines: str, words: str
) -> None:
    Path("whimbrel.toml").write_text(f'[[site]]\nhost = "example.org"\n{lines}\n')
    code, _, said = command("crawl", "https://example.org/", "--repo", tmp_path / "kept", "--dry-run")
    if code == 0:  # what needs the secret is said when a crawl begins
        code, _, said = command("crawl", "https://example.org/", "--repo", tmp_path / "kept")
    assert code == 2, said
    assert words in said
    assert "hunter2" not in said


def test_a_password_among_the_shown_fields_is_not_sent(tmp_path: Path, command: Told) -> None:
    with House() as house:
        Path("whimbrel.toml").write_text(
            f'[[site]]\nprefix = "{house.url()}"\nlogin = "{house.url("/login")}"\n'
            'login_fields = { pass = "oh-no-written-down" }\nlogin_secrets = { user = "env:HOUSE_PASSWORD" }\n'
        )
        _, answer, _ = command("crawl", house.url(), "--repo", tmp_path / "kept")
        assert "pass is a password: name it in login_secrets" in str(answer["words"])
        assert house.tries == 0


@pytest.mark.parametrize("garbage", ["", "\x00\x01\x02 garbage \x7f", "{}", "no cookie at all", "a\tb\tc\td\te\tf\tg"])
def test_a_cookie_file_of_garbage_is_refused_before_anything_is_asked(
    tmp_path: Path, command: Told, garbage: str
) -> None:
    with House() as house:
        Path("cookies.txt").write_text(garbage)
        code, _, said = command("crawl", house.url(), "--cookies", "file:cookies.txt", "--repo", tmp_path / "kept")
        assert code == 2
        assert "cookie" in said
        assert not house.log
