"""Forms of addresses, and those that cannot exist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.flows.linking.probing import form_of
from whimbrel.records.url import Url
from whimbrel.urls.normal import normalise, origin

H = "https://a.example"


@pytest.mark.parametrize(
    ("url", "form", "part"),
    [
        (f"{H}/wiki/Wren", f"{H}/wiki/*", "Wren"),
        (f"{H}/wiki/Wren/", f"{H}/wiki/*/", "Wren"),
        (f"{H}/docs/install.html", f"{H}/docs/*.html", "install"),
        (f"{H}/doku.php?id=birds:wren", f"{H}/doku.php?id=*", "birds:wren"),
        (f"{H}/a?x=1&y=2", f"{H}/a?x=1&y=*", "2"),
        (f"{H}/a?plain", f"{H}/*?plain", "a"),
    ],
)
def test_the_last_part_is_left_open(url: str, form: str, part: str) -> None:
    found = form_of(Url(url))
    assert found is not None
    assert (found[0].form, found[1]) == (form, part)
    assert found[0].without == (url.partition("?")[0] if "=" in url else None)


def test_a_start_page_has_no_part_to_leave_open() -> None:
    assert form_of(Url(f"{H}/")) is None


@given(st.text(max_size=30))
def test_a_probe_is_of_the_form_of_its_page(path: str) -> None:
    url = normalise(f"{H}/{path}")
    found = form_of(url) if isinstance(url, str) else None
    if found is not None:
        probe = form_of(found[0].probe)
        assert origin(found[0].probe) == H
        assert probe is not None
        assert probe[0].form == found[0].form or "*" in url
