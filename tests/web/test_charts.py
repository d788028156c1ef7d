"""Charts of a crawl, whatever it has told so far."""

import re

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.web.charts import HEIGHT, WIDTH, chart, harvest_curve, rates
from whimbrel.web.crawls import ProgressSample, ShownProgress
from whimbrel.web.wanted import wish_of

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


@given(
    st.lists(
        st.builds(
            ProgressSample,
            st.floats(0, 1e4),
            st.builds(
                ShownProgress, judged=st.integers(0, 10**6), relevant=st.integers(0, 10**6), lately=st.floats(0, 1)
            ),
        ),
        max_size=300,
    )
)
def test_a_harvest_stays_between_none_and_all(found: list[ProgressSample]) -> None:
    drawn = harvest_curve(sorted(found, key=lambda sample: sample.at))
    for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", str(drawn.svg)):
        assert 0 <= float(x) <= WIDTH
        assert 0 <= float(y) <= HEIGHT


def test_a_harvest_is_told_in_all_and_of_the_last_ones() -> None:
    told = [
        ProgressSample(float(at), ShownProgress(judged=judged, relevant=relevant, lately=lately))
        for at, (judged, relevant, lately) in enumerate(((0, 0, 0.0), (10, 5, 0.5), (40, 10, 0.1)))
    ]
    drawn = harvest_curve(told)
    assert drawn.legend == (("in all", "25 %"), ("of the last ones", "10 %"))
    assert drawn.words == "Share of relevant pages: 25 % in all, 10 % of the last ones, of 40 pages judged"
    assert str(drawn.svg).count("<polyline") == 2
