"""The places that links within pages lead to."""

import pytest

from whimbrel.parse.named_places import named_places

PAGE = """<!doctype html><base href=/docs/><h1 id=ebb>Ebb</h1><a name=old>x</a><p id="a place">p</p>
<p id=überall>p</p><h2 id=user-content-usage>u</h2>
<a href="#ebb">one</a><a href="other.html#far  ">to <b>far</b></a><a href="#">none</a><a href="#!/route">app</a>
<a href="x#:~:text=words">quoted</a><a href="plain.html">plain</a><map><area href="m#mark"></map>""".encode()


def test_links_to_places_have_their_words() -> None:
    found = named_places(PAGE, "text/html; charset=utf-8")
    assert found.base == "/docs/"
    assert [(link.href, link.fragment, link.words) for link in found.links] == [
        ("#ebb", "ebb", "one"), ("other.html#far  ", "far", "to far"), ("m#mark", "mark", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fragment", "there"),
    [
        ("ebb", True), ("old", True), ("a%20place", True), ("%C3%BCberall", True), ("überall", True), ("top", True),
        ("TOP", True), ("", True), ("usage", True), ("Ebb", False), ("a", False), ("place", False),
    ],
)  # fmt: skip
def test_a_place_is_found_as_the_standard_says(fragment: str, there: bool) -> None:
    assert named_places(PAGE, "text/html; charset=utf-8").has(fragment) is there
