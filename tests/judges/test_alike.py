"""When the judge of structure learns: at its times, and when a kind comes up that was not there."""

from random import Random

from shop_site import item, story
from whimbrel.judges.alike import FITTED_AT, AlikeJudge, Outlined
from whimbrel.judges.judge import Look, Resolve, Sight
from whimbrel.parse import places
from whimbrel.parse.outline import upper
from whimbrel.records.request import Alike
from whimbrel.records.url import Url
from whimbrel.structure.ground import FEWEST, MOST_PAGES, Ground
from whimbrel.structure.shape import DEEPEST, Shape, Shaper
from whimbrel.urls.normal import key as key_of

ITEMS = Alike(1, ["http://shop.test/item/3"], [upper(item(3).encode(), "text/html", DEEPEST)])
USUAL = 22
"""Pages after which it was fitted once, and may be fitted again."""


def looked(judge: AlikeJudge, number: int, body: str) -> Look[Outlined]:
    page, tree = places.read(body.encode(), "text/html", DEEPEST)
    url = Url(f"http://shop.test/{number}")
    return judge.look(Sight(key_of(url), url, page, tree, lambda href: None))


def table(number: int) -> str:
    rows = "".join(f"<tr><td><em>{at}</em></td></tr>" for at in range(number % 4 + 1))
    return f"<html><body><section class=list><table>{rows}</table></section></body></html>"


def after_the_first_fitting() -> AlikeJudge:
    judge = AlikeJudge([ITEMS])
    relearned = [
        looked(judge, number, item(number) if number % 2 else story(number, [number], 9)).relearned
        for number in range(USUAL)
    ]
    assert [at for at, learned in enumerate(relearned, 1) if learned] == [FITTED_AT[0]]
    return judge


def test_a_kind_that_comes_up_is_learned_once_it_is_one() -> None:
    judge = after_the_first_fitting()
    learned = [looked(judge, 100 + at, table(at)).relearned for at in range(FEWEST + 3)]
    assert learned == [False] * (FEWEST - 1) + [True] + [False] * 3
    assert not looked(judge, 200, table(0)).serves
    assert looked(judge, 201, item(201)).serves


def test_more_of_the_kinds_there_are_teach_nothing_in_between() -> None:
    judge = after_the_first_fitting()
    assert not any(looked(judge, 100 + at, item(100 + at)).relearned for at in range(FEWEST + 3))


def entry(number: int) -> str:
    """A command, or where the number is even a variable, of one template; their authors write what they like."""
    chance = Random(number)
    own = "".join(f"<{tag}>{tag}</{tag}>" for tag in ("p", "ul", "pre", "table", "dl", "ol") if chance.random() < 0.5)
    return f"<html><body><main class=entry><h1>{number}</h1><div class=text>{own}</div></main></body></html>"


def listing(name: str, around: str, numbers: range) -> str:
    links = "".join(f"<{around} class={name}><a href=/{number}>{number}</a></{around}>" for number in numbers)
    return f"<html><body><section class=all>{links}</section></body></html>"


def right(judge: AlikeJudge, resolve: Resolve) -> int:
    """Of forty entries, after a crawl of the lists and of as many as it takes to know the site."""

    def seen(number: int, body: str) -> Look[Outlined]:
        page, tree = places.read(body.encode(), "text/html", DEEPEST)
        url = Url(f"http://shop.test/{number}")
        return judge.look(Sight(key_of(url), url, page, tree, resolve))

    for at, around in enumerate(("li", "p", "dt")):
        seen(1_000 + at, listing("command", around, range(1, 200, 2)))
        seen(2_000 + at, listing("variable", around, range(0, 200, 2)))
    for number in range(FITTED_AT[3]):
        seen(number, entry(number))
    return sum(bool(seen(number, entry(number)).serves) == bool(number % 2) for number in range(100, 140))


def linked(href: str) -> tuple[Url, int]:
    url = Url(f"http://shop.test{href}")
    return url, key_of(url)


def test_pages_of_one_template_are_told_by_where_the_links_to_them_stand() -> None:
    names = [f"http://shop.test/{number}" for number in (3, 5, 7)]
    outlines = [upper(entry(number).encode(), "text/html", DEEPEST) for number in (3, 5, 7)]
    assert right(AlikeJudge([Alike(1, names, outlines)]), linked) >= 36
    assert right(AlikeJudge([Alike(1, names, outlines)]), lambda href: None) <= 28


def shapes(many: int) -> list[Shape]:
    shaper = Shaper()
    return [shaper.shape(upper(item(at).encode(), "text/html", DEEPEST)) for at in range(many)]


def test_what_is_shown_is_part_of_the_ground_however_many_pages_there_are() -> None:
    shown = Shaper().shape(upper(table(1).encode(), "text/html", DEEPEST))
    ground = Ground([*shapes(4)] * MOST_PAGES, shown=[shown])
    assert (len(ground.sample), ground.sample[0]) == (MOST_PAGES, shown)
