"""What is done with a page after its commit, and so costs the hot path nothing: measured one by one."""

from collections.abc import Callable

from msgspec import Struct

from whimbrel.parse import reading
from whimbrel.parse.language import language_of
from whimbrel.records.page import Page
from whimbrel.records.response import Response


class Follower(Struct, frozen=True):
    name: str
    words: str
    follow: Callable[[Response, Page], object]


def _read(response: Response, page: Page) -> str:
    text = reading.main_text(response.body, response.headers.get("content-type", ""))
    return language_of(text, page.language)


FOLLOWERS = (Follower("reading", "main text and language", _read),)
