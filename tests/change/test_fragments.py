"""Fragments of pages as much used software writes them, each with an edit or with noise, compared without any history.

What is which was written down before anything was run. The second and the third set were written after rules were
mended for those before (docs/change.md gives the figures). What is known to be wrong is named, and becomes an error
when it is right.
"""

from pathlib import Path

import msgspec
import pytest

from whimbrel.change.decide import decide, in_doubt
from whimbrel.change.version import ComparedVersion, read_version

SILENT = {"link anchor", "film length odd", "time minutes odd train"}
AT_A_SECOND_LOOK = {"commit sha", "uuid config", "api key example", "bitcoin address"}
"""Random strings: a refresh asks once more, and tells what is still the same."""
LOUD = {
    "aktuelle zeit", "edit link", "gestern", "joined", "last visit", "mw edit date", "mw retrieved", "outbrain",
    "recent comments", "seite erzeugt", "sidebar widget", "sphinx built", "stars button", "suggested topics", "taboola",
    "today at", "unix stamp", "upsells", "usercentrics", "weather", "woo related",
    "yarpp", "countdown",
}  # fmt: skip
STORY = (
    "<h1>Harbour guide</h1><p>The harbour lies at the mouth of the river, and boats have landed here since the middle"
    " ages.</p><p>From the quay a path leads up to the old town with its walls and towers.</p>"
)
LINES = Path(__file__).with_name("fragments.jsonl").read_text(encoding="utf-8").splitlines()


class Fragment(msgspec.Struct, frozen=True):
    set: int
    edit: bool
    name: str
    before: str
    after: str


FRAGMENTS = [msgspec.json.decode(line, type=Fragment) for line in LINES]


def _page(fragment: str) -> ComparedVersion:
    title = fragment.removeprefix("@title ") if fragment.startswith("@title ") else "Harbour guide"
    inside = "" if fragment.startswith("@title ") else fragment
    body = (
        f"<!doctype html><title>{title}</title><nav><a href=/>Home</a></nav><main>{STORY}{inside}"
        "<p>More can be read in the library of the town.</p></main><footer>Imprint</footer>"
    )
    return read_version(body.encode(), "text/html; charset=utf-8", address="https://x.example/guide")


def test_no_name_stands_for_two() -> None:
    assert len({one.name for one in FRAGMENTS}) == len(FRAGMENTS)


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda one: one.name)
def test_edits_are_told_and_noise_is_not(fragment: Fragment) -> None:
    change = decide(_page(fragment.before), _page(fragment.after))
    assert change.changed is (fragment.edit != (fragment.name in SILENT | LOUD | AT_A_SECOND_LOOK))
    assert in_doubt(change).changed is (change.changed or fragment.name in AT_A_SECOND_LOOK | {"request id", "ray id"})
