"""`whimbrel twins`: what it shows, what it says in JSON, and what --undo does for good."""

import json
from pathlib import Path
from typing import Any

import pytest
from click import UsageError
from click.testing import CliRunner

from grown_folder import Served, grow
from whimbrel.cli.twins import command
from whimbrel.flows.twins.near import Near
from whimbrel.repository.contract import NothingThere

A = "http://a.example"
STORY = [
    f"{a}{b}{c}" for a in ("ka", "lo", "mi") for b in ("ra", "len", "dor", "tak") for c in ("s", "n", "vel", "um", "o")
]


def article(words: list[str], links: list[str] = [], title: str = "Story") -> Served:  # noqa: B006
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return Served(f"<title>{title}</title><nav>{anchors}</nav><main><p>{' '.join(words)}</p></main>".encode())


@pytest.fixture
def site(tmp_path: Path) -> Path:
    links = ["/story", "/edition", "/same", *(f"/shop/{n}?sid={s}" for n in range(6) for s in (1, 2))]
    world = {
        f"{A}/": article(STORY[30:], links, "Start"),
        f"{A}/story": article(STORY),
        f"{A}/edition": article([*STORY[:20], "edited", *STORY[21:]]),
        f"{A}/same": article(STORY),
    }
    for number in range(6):
        product = article([f"{word}{'abcdef'[number]}" for word in STORY], title=f"Product {number}")
        world |= {f"{A}/shop/{number}?sid={session}": product for session in (1, 2)}
    grow(tmp_path / "site", world)
    return tmp_path / "site"


def say(*arguments: str | Path) -> str:
    done = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.stdout


def lines(*arguments: str | Path) -> list[Any]:
    return [json.loads(line) for line in say(*arguments, "--json").splitlines()]


def test_everything_with_its_reason(site: Path) -> None:
    said = say("--repo", site)
    assert "counts as http://a.example/edition: nearly the same words" in said
    assert "counts as http://a.example/same: same bytes" in said
    assert "learned  a.example/shop/: drop parameter sid" in said or "learned  a.example: drop parameter sid" in said
    assert said.splitlines()[-1] == "7 exact twins, 1 near twin, 1 rule"


def test_one_kind_at_a_time_in_json(site: Path) -> None:
    near = lines("--repo", site, "--near")
    assert [(one["kind"], one["url"], one["survivor"]) for one in near] == [("near", f"{A}/same", f"{A}/edition")]
    assert 0.6 < near[0]["similarity"] < 1
    assert {one["kind"] for one in lines("--repo", site, "--exact")} == {"exact"}
    (rule,) = lines("--repo", site, "--rules")
    assert (rule["state"], rule["against"], "drop parameter sid" in rule["rule"]) == ("learned", 0, True)
    assert lines("other.example", "--repo", site) == []


def test_undo_for_good(site: Path) -> None:
    assert "a page of its own" in say("--undo", f"{A}/edition", "--repo", site)
    assert lines("--repo", site, "--near") == []
    assert "a page of its own already" in say("--undo", f"{A}/edition", "--repo", site)
    (rule,) = lines("--repo", site, "--rules")
    assert "withdrawn for good" in say("--undo", rule["rule"], "--repo", site)
    assert {one["state"] for one in lines("--repo", site, "--rules")} == {"undone"}


def test_what_is_not_there(site: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingThere, match="there is no rule"):
        say("--undo", "a.example: drop parameter nonsense", "--repo", site)
    with pytest.raises(NothingThere, match="holds no crawl"):
        say("--repo", tmp_path / "nothing")
    with pytest.raises(UsageError):
        say("http://", "--repo", site)


def test_while_another_process_follows_what_it_found_is_shown(site: Path) -> None:
    say("--repo", site)
    with Near(site):
        assert lines("--repo", site, "--near")
