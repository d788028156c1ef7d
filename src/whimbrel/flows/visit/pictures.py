"""What a crawl for pictures alone makes of a page and of a picture."""

from msgspec import Struct

from whimbrel.change.pictures import size_of
from whimbrel.flows.visit.leading import judged
from whimbrel.flows.visit.tools import Tools
from whimbrel.parse.document import tree_of
from whimbrel.parse.pictures import PagePicture, pictures_of
from whimbrel.records.picturing import IMAGES_RULE, LEAST_PIXELS, SMALL_RULE
from whimbrel.records.task import Task
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.records.visit import Link

_SHOWS_NONE = f"it shows no picture of at least {LEAST_PIXELS} × {LEAST_PIXELS} pixels that may be fetched"


class ShownPictures(Struct, frozen=True):
    """`links` are those that home has to hear of; `verdict` says whether the page is kept for what it shows."""

    links: list[Link]
    verdict: Verdict


def shown_pictures(body: bytes, content_type: str, base: str, task: Task, tools: Tools) -> ShownPictures:
    """Of what stands in for a picture, smaller or in another format, nothing is fetched. One that this page draws small
    may be drawn large on another, and is told apart: home hears of it again then."""
    large: dict[int, Link] = {}
    small: dict[int, Link] = {}
    for picture in pictures_of(tree_of(body, content_type)[0]):
        target = tools.resolver.resolve(picture.addresses[0], base)
        if target is None:
            continue
        link, reason = judged(*target, 1, True, tools), _drawn_small(picture)
        if reason and not link.rule:
            small[link.key] = Link(link.key, link.url, 1, 0, True, SMALL_RULE, reason)
        elif not reason:
            large[link.key] = link
    told = [large[key] for key in tools.cache.meet(list(large), task.depth + 1)]
    told += [small[key] for key in tools.shunned.meet([key for key in small if key not in large], task.depth + 1)]
    shows = any(not link.rule for link in large.values())
    return ShownPictures(told, ACCEPTED if shows else refused(IMAGES_RULE, _SHOWS_NONE))


def judged_picture(body: bytes, mime: str) -> Verdict:
    """A file that was fetched as a picture. What does not tell its size is believed to have one."""
    if not mime.startswith("image/"):
        return refused(IMAGES_RULE, f"it is no picture but {mime or 'of no type'}")
    size = size_of(body)
    if size is not None and min(size) < LEAST_PIXELS:
        return refused(
            SMALL_RULE, f"it is {size[0]} × {size[1]} pixels, and less than {LEAST_PIXELS} a side is left out"
        )
    return ACCEPTED


def _drawn_small(picture: PagePicture) -> str:
    if not picture.drawn_under(LEAST_PIXELS):
        return ""
    wide, high = (str(size) if size >= 0 else "?" for size in (picture.width, picture.height))
    return f"the page draws it {wide} × {high} pixels, and less than {LEAST_PIXELS} a side is left out"
