"""What lets us in somewhere is told to no machine of others, and its site is visited from home."""

import asyncio
import time
from pathlib import Path

import pytest
from neighbours import PATIENCE, at_work, join

from whimbrel import api
from whimbrel.api.briefing import brief_for
from whimbrel.api.credentials import Keys
from whimbrel.config import load
from whimbrel.fetch.credentials import Cookie, Credentials, Login
from whimbrel.migrants.home.briefs import Briefs, for_places
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.messages import encode
from whimbrel.places.at.diary import leaves
from whimbrel.records.url import Url
from whimbrel.testing.web import TinyWeb, site

SECRETS = ("tok-5512-staple-ladder", "correct-horse-battery-7391", "proxy-word-9913")


def test_a_brief_for_a_place_holds_no_secret() -> None:
    login = Login(Url("https://wiki.example/in"), (("pass", SECRETS[1]),), ("pass",))
    wiki = Credentials(("https://wiki.example",), cookies=(Cookie("sid", SECRETS[0]),), login=login)
    settings = load(Path("/dev/null"), {}, api.flags_of({"proxy": "http://127.0.0.1:9"}))
    keys = Keys((wiki,), proxy=f"http://ada:{SECRETS[2]}@127.0.0.1:9")
    brief = brief_for(settings, [Url("https://wiki.example/")], [], keys=keys)
    here, there = (
        Proxy(name, MigrantPlace(name, sites=sites), "", 0.0, time)
        for name, sites in (("here", ()), ("library", ("a.example",)))
    )
    told = Briefs(brief)
    assert told.told(here) == brief
    assert told.told(there) == for_places(brief)
    assert told.digest(here) != told.digest(there)
    assert all(secret.encode() in encode(told.told(here)) for secret in SECRETS)
    assert not [secret for secret in SECRETS if secret.encode() in encode(told.told(there))]


def test_a_site_that_knows_us_by_a_secret_is_visited_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, place, settings = tmp_path / "far", tmp_path / "place", tmp_path / "settings.toml"
    monkeypatch.setenv("HOUSE_SESSION", f"sid={SECRETS[0]}")
    join(folder, place)
    with TinyWeb(site(20, 4, seed=3)) as web, at_work(place):
        settings.write_text(f'[[site]]\nprefix = "{web.url("/")}"\ncookies = "env:HOUSE_SESSION"\n')
        opened = api.open_crawl(load(settings, {}, api.flags_of({})), api.read_seeds([web.url("/")]), folder)
        try:
            assert asyncio.run(asyncio.wait_for(api.run_crawl(opened), PATIENCE)).why == "finished"
        finally:
            opened.store.close()
        assert all(SECRETS[0] in request.headers.get("cookie", "") for request in web.log)
    assert len(web.log) >= 20
    assert [warning for warning in opened.warnings if "told to no other machine" in warning]
    assert not [leaf for leaf in leaves(place) if leaf.pages]
