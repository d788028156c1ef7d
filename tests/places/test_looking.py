"""Two answers for one URL: what is a lie, what is noise, and what the server itself explains."""

import pytest

from whimbrel.places.home.looking import ShownAnswer, differ, edited_since, left, shown
from whimbrel.records.response import Response
from whimbrel.records.url import Url

URL = Url("http://127.0.0.1/page")
HTML = {"content-type": "text/html"}


def page(text: str, script: str = "") -> ShownAnswer:
    body = f"<html><head><title>Tide</title>{script}</head><body><h1>Tide</h1><p>{text}</p></body></html>"
    answer = shown(URL, 200, HTML, body.encode())
    assert answer is not None
    return answer


def test_words_scripts_standing_and_targets_are_compared_and_noise_is_not() -> None:
    calm = page("The tide is low at the estuary this evening, and the waders rest.")
    assert not differ(calm, calm)
    assert differ(calm, page("The tide is high at the estuary this evening, and the waders fly."))
    assert differ(
        calm, page("The tide is low at the estuary this evening, and the waders rest.", "<script>x()</script>")
    )
    absent = shown(URL, 404, {}, b"")
    moved = shown(URL, 301, {"location": "/other"}, b"")
    assert absent
    assert moved
    assert differ(calm, absent)
    assert not differ(absent, ShownAnswer("absent"))
    assert differ(moved, ShownAnswer("redirect", target="http://127.0.0.1/elsewhere"))
    assert not differ(moved, ShownAnswer("redirect", target="http://127.0.0.1/other"))
    assert shown(URL, 503, {}, b"") is None
    assert shown(URL, 304, {}, b"") is None


def test_what_differs_between_home_s_own_looks_is_nobodys_lie() -> None:
    first, second = page("The winning number of today is seven, says the crab."), page("It is nine, says the worm.")
    assert not left(page("It was three, says the curlew, and nobody minds."), first, second)
    assert left(page("It was three, says the curlew, and nobody minds."), first, first)
    picture = [shown(URL, 200, {"content-type": "image/png"}, data) for data in (b"one", b"two", b"three")]
    assert left(picture[0], picture[1], picture[1])  # type: ignore[arg-type]
    assert not left(picture[0], picture[1], picture[2])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("modified", "edited"),
    [("Wed, 01 Jul 2026 10:00:50 GMT", True), ("Wed, 01 Jul 2026 09:00:00 GMT", False), ("", False), ("soon", False)],
)
def test_the_server_may_say_that_the_page_was_edited_meanwhile(modified: str, edited: bool) -> None:
    headers = {"date": "Wed, 01 Jul 2026 10:01:00 GMT", "last-modified": modified}
    response = Response(URL, 200, headers, b"", b"", b"", b"", "HTTP/1.1", "", 0.0)
    assert edited_since(response, 30.0) is edited
