"""Help that people find their way in."""

from collections.abc import Callable
from typing import Any

import click

from whimbrel.cli import options
from whimbrel.cli.crawl import command as crawl
from whimbrel.cli.main import GROUPS, VERBS

Call = Callable[..., Any]


def test_each_flag_of_crawl_stands_in_one_section() -> None:
    assert isinstance(crawl, options.SectionedCommand)
    named = [flag for flags in crawl.sections.values() for flag in flags]
    assert len(named) == len(set(named))
    assert set(named) <= {one.opts[0] for one in crawl.params if isinstance(one, click.Option)}


def test_sections_stand_in_their_order_and_lose_no_flag(call: Call) -> None:
    said = call("crawl", "--help").out
    places = [said.index(f"\n{title}:\n") for title in (*crawl.sections, options.BESIDE)]
    assert places == sorted(places)
    shown = [one.opts[0] for one in crawl.params if isinstance(one, click.Option) and not one.hidden]
    assert [flag for flag in shown if f"\n  {flag} " not in said] == []


def test_verbs_are_listed_in_their_groups_and_no_word_is_explained_that_is_not_used(call: Call) -> None:
    assert len(VERBS) == sum(map(len, GROUPS.values()))
    assert "Words:" not in call("upgrade", "--help").out


def test_only_links_has_a_code_for_bad_links(call: Call) -> None:
    assert "\n    6    " in call("links", "--help").out
    assert "\n    6    " not in call("crawl", "--help").out
