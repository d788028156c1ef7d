"""What simpler ways of comparing say of two versions."""

import pytest

from whimbrel.flows.copies import DecodedCopy
from whimbrel.flows.telling.second_opinions import opinions

BEFORE = "<html><head><title>t</title></head><body><h1>Birds</h1><p>The quick dog</p><p>A second one</p></body></html>"


def said(before: str, after: str) -> dict[str, str]:
    copies = [
        DecodedCopy({"content-type": "text/html; charset=utf-8"}, body.encode(), "http://a.example/")
        for body in (before, after)
    ]
    return {one.way: one.says for one in opinions(*copies)}


@pytest.mark.parametrize(
    ("after", "tree", "tags", "rms", "checksum"),
    [
        (BEFORE, "none", "same", "same", "same"),
        (BEFORE.replace("dog", "cog"), "none", "same", "differs", "differs"),
        (BEFORE.replace("dog", "god"), "none", "same", "same", "same"),
        (BEFORE.replace("<p>A", "<br><p>A"), "minor", "differs", "same", "same"),
        (BEFORE.replace("<h1>", "<div><b>x</b></div><h1>"), "major", "differs", "differs", "differs"),
    ],
    ids=["nothing", "a letter", "letters in another order", "a leaf", "a branch"],
)
def test_each_way_sees_its_own_side(after: str, tree: str, tags: str, rms: str, checksum: str) -> None:
    assert said(BEFORE, after) == {
        "tree by levels": tree,
        "fingerprint of tags": tags,
        "RMS of symbols": rms,
        "checksum by importance": checksum,
    }


def test_a_paragraph_at_the_top_is_one_new_paragraph() -> None:
    copies = [
        DecodedCopy({"content-type": "text/html"}, body.encode())
        for body in (BEFORE, BEFORE.replace("<p>The", "<p>New</p><p>The"))
    ]
    details = {one.way: one.detail for one in opinions(*copies)}
    assert details["RMS of symbols"].endswith("0 of 3 paragraphs gone, 1 new")
