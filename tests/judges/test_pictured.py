"""Pictures as a judge sees them: what a page calls each and what shape it has, held against what is asked for."""

import pytest
from msgspec.structs import replace

from whimbrel.judges.convening import convene, pictures_wanted
from whimbrel.judges.judge import Sight
from whimbrel.judges.panel import Looked
from whimbrel.parse import html
from whimbrel.records.picturing import LabelSays, PictureSeen
from whimbrel.records.request import SHOWS_RULE, Request, Shown, Topical
from whimbrel.records.url import Url
from whimbrel.topic.asking import AskedTopic, TopicWish, ask
from whimbrel.topic.counting import PageTexts
from whimbrel.urls.normal import key as key_of

CATS = Shown(1, ["cat"])
PAGE = Url("http://zoo.test/page")
WORDS = "<title>Cats</title><p>Cats sleep by day, and cats hunt by night.</p>"


def seen(called: str, shaped: str, says: LabelSays, *, broken: bool = False) -> PictureSeen:
    url = Url("http://zoo.test/one.png")
    return PictureSeen(url, (called,) if called else (), shaped, says, "damaged" if broken else "", broken)


RIGHT = seen("cat", "cat", LabelSays.MATCHES)
WRONG = seen("cat", "dog", LabelSays.CONTRADICTS)
UNSURE = seen("cat", "", LabelSays.NOTHING)
SILENT = seen("", "cat", LabelSays.NOTHING)


def looked(request: Request, *pictures: PictureSeen, rule: str = "any") -> Looked:
    page = html.read(WORDS.encode(), "text/html", assets=False)
    return convene([request], rule).look(Sight(key_of(PAGE), PAGE, page, None, lambda href: None, (), pictures))


@pytest.mark.parametrize(
    ("pictures", "wanted"),
    [
        ((RIGHT,), True),
        ((UNSURE,), True),
        ((SILENT,), True),
        ((WRONG,), False),
        ((WRONG, RIGHT), True),
        ((seen("cat", "", LabelSays.NOTHING, broken=True),), False),
        ((seen("dog", "cat", LabelSays.NOTHING),), False),
        ((seen("", "dog", LabelSays.NOTHING),), False),
        ((), False),
    ],
)
def test_a_page_is_wanted_for_its_best_picture(pictures: tuple[PictureSeen, ...], wanted: bool) -> None:
    told = looked(CATS, *pictures)
    assert told.verdict.accepted is wanted
    assert told.numbers == ([1] if wanted else [])
    assert wanted or told.verdict.rule == SHOWS_RULE


def test_what_was_seen_is_the_reason_and_says_the_same_from_the_shelf() -> None:
    panel, told = convene([CATS]), looked(CATS, WRONG)
    assert "called cat and shaped like a dog" in told.verdict.reason
    again = panel.again(panel.pack(told))
    assert again is not None
    assert (again.verdict, again.numbers) == (told.verdict, told.numbers)


def topic(subject: str) -> Topical:
    shown = PageTexts(Url("http://zoo.test/shown"), "Cats at night", "Cats hunt at night. Cats sleep. Night falls.")
    made = ask(TopicWish(subject), [shown])
    assert isinstance(made, AskedTopic)
    return made.request


def test_pictures_raise_and_lower_what_a_page_says_of_a_topic() -> None:
    """Words alone are just enough; with a label that lies they are not, and a picture of something else is silent."""
    request = topic("cats")
    score = float(looked(request).verdict.reason.split()[0])
    at = replace(request, threshold=score * 0.95)
    assert looked(at).verdict.accepted
    lowered = looked(at, WRONG)
    assert not lowered.verdict.accepted
    assert "its pictures lower that by 25%" in lowered.verdict.reason
    assert looked(at, seen("dog", "cat", LabelSays.CONTRADICTS)).verdict.accepted
    above = replace(request, threshold=score * 1.1)
    assert not looked(above).verdict.accepted
    raised = looked(above, RIGHT)
    assert raised.verdict.accepted
    assert "its pictures raise that by 25%" in raised.verdict.reason


def test_only_pictures_that_may_say_something_are_looked_at() -> None:
    wanted = pictures_wanted([topic("cats at night")], ["cat", "dog"])
    assert (wanted.named, wanted.unnamed) == ({"cat"}, False)
    assert pictures_wanted([CATS], ["cat", "dog"]).unnamed
    assert not pictures_wanted([topic("night")], ["cat", "dog"]).named
