"""Charts of a crawl, whatever it has told so far."""

import re

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.web.charts import HEIGHT, WIDTH, chart, rates
from whimbrel.web.crawls import ProgressSample, ShownProgress, wish_of

counts = st.dictionaries(st.sampled_from(["fetched", "failed", "duplicate"]), st.integers(0, 10**9))
samples = st.lists(
    st.builds(
        ProgressSample,
        st.floats(0, 1e4),
        st.builds(ShownProgress, pages=st.integers(0, 10**7), outcomes=counts, bytes=counts),
    ),
    max_size=30,
).map(lambda found: sorted(found, key=lambda sample: sample.at))


@given(samples, st.sampled_from(["pages", "outcomes", "bytes"]))
def test_every_point_is_inside(found: list[ProgressSample], of: str) -> None:
    drawn = chart("Pages a second", found, of=of)
    for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", str(drawn.svg)):
        assert 0 <= float(x) <= WIDTH
        assert 0 <= float(y) <= HEIGHT
    assert drawn.words


def test_rates_are_per_second() -> None:
    told = [
        ProgressSample(at, ShownProgress(pages=pages)) for at, pages in ((10.0, 0), (12.0, 8), (13.0, 8), (15.0, 4))
    ]
    at, (pages,) = rates(told, of="pages")
    assert at == [12.0, 13.0, 15.0]
    assert pages.values == (4.0, 0.0, 0.0)  # a count never goes back


def test_nothing_told_yet() -> None:
    assert chart("x", [], of="pages").legend == ()
    assert (
        chart("x", [ProgressSample(1.0, ShownProgress()), ProgressSample(2.0, ShownProgress())], of="outcomes").legend
        == ()
    )


def test_a_wish_becomes_arguments_that_no_address_can_forge() -> None:
    wish = wish_of({"url": "docs.example.org --delete", "limit": "5"})
    assert isinstance(wish, str)
    good = wish_of({"url": "docs.example.org", "limit": "5", "delay": "0.5", "assets": "yes"})
    assert not isinstance(good, str)
    assert good.arguments() == ["--limit", "5", "--delay", "0.5", "--scope", "host", "--assets", "--",
                                "https://docs.example.org/"]  # fmt: skip
