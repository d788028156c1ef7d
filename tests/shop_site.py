"""A site of two kinds of pages: items, and stories that lead to them."""

from whimbrel.testing.web import Page

WORDS = ["quiet", "harbour", "lantern", "meadow", "copper", "violet", "winter", "orchard", "signal", "marble"]
TOP = "<header><nav class=top><a href=/>home</a></nav></header>"


def item(number: int) -> str:
    """A page of the kind asked for: a table of facts beside a picture."""
    facts = "".join(f"<tr><th>{word}<td>{number} {word}" for word in WORDS[: 3 + number % 4])
    return (
        f"<html><head><title>Item {number}</title></head><body class=shop>"
        f"{TOP}<main class=item><h1>Item {number}</h1>"
        f"<figure><img src=/p.png><figcaption>{number}</figcaption></figure>"
        f"<table class=facts><tbody>{facts}</tbody></table>"
        "<section class=buy><button>buy</button></section></main></body>"
    )


def story(number: int, items: list[int], stories: int) -> str:
    """Another kind: paragraphs and an aside, with links to some items and to the next stories."""
    paragraphs = "".join(f"<p>{word} {number} " + " ".join(WORDS) for word in WORDS[: 2 + number % 5])
    onward = "".join(f"<li><a href=/story/{(number * 3 + step) % stories}>next</a>" for step in range(3))
    shown = "".join(f"<a class=card href=/item/{one}>see {one}</a>" for one in items)
    return (
        f"<html><head><title>Story {number}</title></head><body class=shop>"
        f"{TOP}<article class=story><h2>Story {number}</h2>{paragraphs}<blockquote><em>said</em></blockquote>"
        f"<aside class=cards>{shown}</aside><ul class=more>{onward}</ul></article></body>"
    )


def shop(items: int = 40, stories: int = 60) -> dict[str, Page]:
    pages: dict[str, Page] = {f"/item/{number}": item(number) for number in range(items)}
    for number in range(stories):
        pages[f"/story/{number}"] = story(number, [(number * 7 + step) % items for step in range(2)], stories)
    pages["/"] = story(999, [0, 1], stories)
    return pages
