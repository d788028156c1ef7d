"""A site of any size that nobody has to write down: what a page says and where it leads follows from its number.

`python -m whimbrel.bench.generated PAGES` serves it on loopback, tells its port on the first line and ends when its
standard input does. Every page leads to its children in a tree, so that all can be reached, and to others by chance.
"""

import asyncio
import sys
from typing import cast

import uvloop

from whimbrel.testing.site import WORDS

LINKS = 20
CHILDREN = 4
PARAGRAPHS = 16
PARAGRAPH_WORDS = 69
PARTS = 6
_SECTIONS = len(WORDS) ** 2
_MIXER = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio: Fibonacci hashing (Knuth, TAOCP 3, §6.4)
_MASK = (1 << 64) - 1


def path(number: int) -> str:
    """Sections keep one pattern of URLs from growing beyond what a crawler believes of one pattern."""
    section = number % _SECTIONS
    return f"/{WORDS[section // len(WORDS)]}/{WORDS[section % len(WORDS)]}/{number}.html"


def links(number: int, pages: int) -> list[int]:
    """The children of a page, and chance for the rest."""
    first = CHILDREN * number + 1
    children = range(first, min(first + CHILDREN, pages))
    return [*children, *(_chance(number, turn) % pages for turn in range(LINKS - len(children)))]


def body(number: int, pages: int) -> bytes:
    """About 4 KB, no two alike in words."""
    name = _in_words(number)
    mixed = _chance(number, LINKS)
    text = "\n".join(_TEXTS[mixed >> 4 * part & 0xF] for part in range(PARTS))
    items = "\n".join(f'<li><a href="{path(to)}">{WORDS[to % len(WORDS)]} {to}</a></li>' for to in links(number, pages))
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title></head>\n'
        f"<body>\n<h1>{name}</h1>\n{text}\n<ul>\n{items}\n</ul>\n</body>\n</html>\n"
    ).encode()


def _chance(number: int, turn: int) -> int:
    mixed = (number * (LINKS + 1) + turn + 1) * _MIXER & _MASK
    return (mixed ^ mixed >> 29) * _MIXER >> 16 & _MASK >> 16


def _in_words(number: int) -> str:
    """A number as a text that no other number has."""
    words = []
    while True:
        number, digit = divmod(number, len(WORDS))
        words.append(WORDS[digit])
        if not number:
            return " ".join(words)


def _paragraph(number: int) -> str:
    words = (WORDS[_chance(number, turn) % len(WORDS)] for turn in range(PARAGRAPH_WORDS))
    return f"<p>{' '.join(words)}.</p>"


_TEXTS = [_paragraph(number) for number in range(PARAGRAPHS)]


class PageServer(asyncio.Protocol):
    """One connection, requests one after the other: a server that costs as little as Python allows."""

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        *requests, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for request in requests:
            self._transport.write(self._answer(request.split(b" ", 2)[1].decode("latin-1")))

    def _answer(self, asked: str) -> bytes:
        name = asked.rpartition("/")[2].removesuffix(".html")
        number = 0 if asked == "/" else int(name) if name.isascii() and name.isdigit() else self._pages
        if number >= self._pages or (number and asked != path(number)):
            return b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
        content = body(number, self._pages)
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)


async def serve(pages: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: PageServer(pages), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
