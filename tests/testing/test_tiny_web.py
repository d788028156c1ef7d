"""The tiny web, looked at with a client that is not ours."""

import http.client
import re
import threading
import zlib

import pytest

from whimbrel.testing.clock import JumpingClock
from whimbrel.testing.reply import redirect, unavailable
from whimbrel.testing.web import Reply, TinyWeb, site


def ask(connection, path, **headers):
    connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


@pytest.fixture
def connect():
    opened = []

    def one(web):
        opened.append(http.client.HTTPConnection("127.0.0.1", web.port, timeout=60))
        return opened[-1]

    yield one
    for connection in opened:
        connection.close()


def test_pages_of_every_form_are_served_on_one_connection(connect):
    pages = {
        "/": "text",
        "/bytes": b"bytes",
        "/gzip": Reply(b"zipped", codings=("gzip",)),
        "/chunks": Reply(b"c" * 10_000, chunked=True),
        "/function": lambda request: f"you asked for {request.path}",
        "/moved": redirect("/"),
    }
    with TinyWeb(pages) as web:
        client = connect(web)
        assert ask(client, "/")[2] == b"text"
        assert ask(client, "/bytes")[2] == b"bytes"
        assert zlib.decompress(ask(client, "/gzip")[2], wbits=31) == b"zipped"
        assert ask(client, "/chunks")[2] == b"c" * 10_000
        assert ask(client, "/function")[2] == b"you asked for /function"
        assert ask(client, "/moved")[1]["Location"] == "/"
        assert ask(client, "/none")[0] == 404
        assert len({request.client for request in web.log}) == 1
        assert [request.path for request in web.log][:2] == ["/", "/bytes"]


def test_a_sequence_answers_in_turn_and_its_last_reply_stays(connect):
    with TinyWeb({"/": [unavailable("3"), "fine"]}) as web:
        client = connect(web)
        first, *others = [ask(client, "/") for _ in range(3)]
        assert (first[0], first[1]["Retry-After"]) == (503, "3")
        assert [other[2] for other in others] == [b"fine", b"fine"]
        assert web.count("/") == 3


def test_validators_are_understood(connect):
    with TinyWeb({"/": Reply(b"x", etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")}) as web:
        client = connect(web)
        assert ask(client, "/", If_None_Match='"0", "1"')[0] == 304
        assert ask(client, "/", If_None_Match='"0"', If_Modified_Since="Mon, 01 Jan 2024 00:00:00 GMT")[0] == 200
        assert ask(client, "/", If_Modified_Since="Mon, 01 Jan 2024 00:00:00 GMT")[0] == 304


def test_a_held_page_waits_for_its_release(connect):
    with TinyWeb({"/": "late"}) as web:
        web.hold("/")
        answers = []
        thread = threading.Thread(target=lambda: answers.append(ask(connect(web), "/")))
        thread.start()
        assert web.wait_for("/")
        assert answers == []
        web.release("/")
        thread.join(60)
        assert answers[0][2] == b"late"


def test_waiting_for_a_request_that_never_comes_ends():
    with TinyWeb({}) as web:
        assert not web.wait_for("/", timeout_seconds=0.01)


def test_a_generated_site_is_the_same_every_time_and_wholly_linked():
    built = site(pages=40, links=4, seed=7, duplicates=3, redirects=2, missing=2)
    assert built == site(pages=40, links=4, seed=7, duplicates=3, redirects=2, missing=2)
    assert built != site(pages=40, links=4, seed=8, duplicates=3, redirects=2, missing=2)
    assert len(built) == 40 + 3 + 2
    reached, queue = {"/"}, ["/"]
    while queue:
        page = built.get(queue.pop())
        for target in re.findall(r'href="([^"]+)"', page.body.decode()) if page else ():
            if target not in reached:
                reached.add(target)
                queue.append(target)
    assert set(built) <= reached
    assert len(reached - set(built)) == 2
    bodies = [reply.body for path, reply in built.items() if not path.startswith("/moved")]
    assert len(bodies) - len(set(bodies)) == 3


def test_the_clock_jumps_forwards_only():
    clock = JumpingClock(5.0)
    assert clock() == 5.0
    assert clock.jump(2.5) == clock() == 7.5
    with pytest.raises(ValueError, match="backwards"):
        clock.jump(-1)
