"""The fetcher against a server that behaves."""

import asyncio
import base64

import pytest
import uvloop

from whimbrel.fetch.credentials import Cookie, Credentials
from whimbrel.fetch.curl import CurlLoop
from whimbrel.fetch.dns import NameResolver
from whimbrel.fetch.guard import AddressGuard
from whimbrel.fetch.http import Fetcher, FetchSettings
from whimbrel.fetch.transfer import Transfer, finish
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.task import Validators
from whimbrel.records.verdict import Verdict
from whimbrel.testing.reply import redirect
from whimbrel.testing.web import Reply, TinyWeb

TEXT = b"<title>A page</title>" + b"<p>some text that compresses well</p>" * 2000


def test_a_page_comes_back_as_the_server_sent_it(get):
    with TinyWeb({"/a?b=c": Reply(TEXT, headers=(("X-Kind", "one"), ("X-Kind", "two")))}) as web:
        response = get(web.url("/a?b=c"))
    assert isinstance(response, Response)
    assert (response.status, response.protocol, response.address) == (200, "HTTP/1.1", "127.0.0.1")
    assert response.raw is response.body
    assert response.body == TEXT
    assert response.headers["x-kind"] == "one, two"
    assert response.head.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n")
    assert response.head.endswith(b"X-Kind: two\r\n\r\n")
    assert 0 < response.elapsed_seconds < 10


def test_the_request_is_kept_as_it_was_sent(get):
    with TinyWeb({"/x": "hello"}) as web:
        response = get(web.url("/x"), headers=(("X-Empty", ""), ("Accept", "text/html")))
        sent = web.log[0]
    first, *lines = response.request_head.decode().split("\r\n")
    assert first == "GET /x HTTP/1.1"
    assert lines[-2:] == ["", ""]
    kept = dict(line.partition(": ")[::2] for line in lines if ": " in line)
    assert {name.lower(): value for name, value in kept.items()} == {
        name: value for name, value in sent.headers.items() if value
    }
    assert sent.headers["accept"] == "text/html"
    assert sent.headers["x-empty"] == ""


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    "codings", [("gzip",), ("deflate",), ("raw-deflate",), ("br",), ("zstd",), ("gzip", "br"), ("br", "zstd")]
)
def test_content_codings_are_undone_and_the_raw_body_kept(get, codings, chunked):
    with TinyWeb({"/": Reply(TEXT, codings=codings, chunked=chunked)}) as web:
        response = get(web.url("/"))
    assert isinstance(response, Response)
    assert response.body == TEXT
    assert len(response.raw) < len(TEXT) / 10
    assert b"transfer-encoding" not in response.head.lower()
    assert "transfer-encoding" not in response.headers
    assert b"Content-Encoding: " in response.head


def test_an_unknown_coding_is_left_alone(get):
    with TinyWeb({"/": Reply(b"??", headers=(("Content-Encoding", "gzip, rot13"),))}) as web:
        response = get(web.url("/"))
    assert isinstance(response, Response)
    assert response.raw == response.body == b"??"


def test_a_redirect_is_not_followed(get):
    with TinyWeb({"/": redirect("/there")}) as web:
        response = get(web.url("/"))
        assert web.count("/there") == 0
    assert (response.status, response.headers["location"]) == (302, "/there")


def test_validators_are_sent_and_304_comes_back(get):
    page = Reply(TEXT, etag='"v1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
    with TinyWeb({"/": page}) as web:
        by_tag = get(web.url("/"), Validators(etag='"v1"'))
        by_date = get(web.url("/"), Validators(last_modified="Mon, 01 Jan 2024 00:00:00 GMT"))
        changed = get(web.url("/"), Validators(etag='"v0"'))
    assert (by_tag.status, by_tag.body, by_date.status, changed.status) == (304, b"", 304, 200)
    assert b'If-None-Match: "v1"\r\n' in by_tag.request_head


def test_validators_do_not_stick_to_the_handle(use_fetcher):
    async def use(fetcher):
        await fetcher.fetch(web.url("/"), Validators(etag='"v1"'))
        return await fetcher.fetch(web.url("/"))

    with TinyWeb({"/": Reply(TEXT, etag='"v1"')}) as web:
        assert use_fetcher(use).status == 200
        assert "if-none-match" not in web.log[1].headers


def test_credentials_go_to_their_hosts_only_and_are_not_kept(use_fetcher, resolver_of):
    async def use(fetcher):
        return [await fetcher.fetch(web.url("/", host)) for host in ("mine.test", "other.test")]

    with TinyWeb({"/": "hello"}) as web:
        mine, _ = use_fetcher(
            use,
            guard=AddressGuard(networks=("127.0.0.0/8",)),
            resolver=resolver_of(mine_test=["127.0.0.1"], other_test=["127.0.0.1"]),
            sites=(
                Credentials(
                    (f"http://mine.test:{web.port}",),
                    headers=(("Authorization", "Basic dXNlcjpzZWNyZXQ="),),
                    cookies=(Cookie("token", "1"), Cookie("far", "2", path="/far")),
                ),
            ),
            headers=(("X-Plain", "yes"),),
        )
        first, second = web.log
    assert first.headers["authorization"] == "Basic " + base64.b64encode(b"user:secret").decode()
    assert first.headers["cookie"] == "token=1"
    assert "authorization" not in second.headers
    assert "cookie" not in second.headers
    assert second.headers["x-plain"] == "yes"
    assert b"Authorization" not in mine.request_head
    assert b"Cookie" not in mine.request_head


def test_types_not_asked_for_are_cut_off_at_the_headers(get):
    pages = {"/v": Reply(content_type="video/mp4", endless_body=True), "/h": "hi"}
    with TinyWeb(pages) as web:
        refused = get(web.url("/v"), accept_types=("text/html",))
        taken = get(web.url("/h"), accept_types=("text/html",))
        missing = get(web.url("/none"), accept_types=("application/pdf",))
        any_type = get(web.url("/h"), accept_types=("application/pdf",), any_type=True)
    assert isinstance(refused, Verdict)
    assert (refused.accepted, refused.rule) == (False, "type")
    assert "video/mp4" in refused.reason
    assert (taken.status, missing.status, any_type.status) == (200, 404, 200)


def test_many_fetches_at_once_share_few_connections(use_fetcher):
    async def use(fetcher):
        first = await asyncio.gather(*(fetcher.fetch(web.url(f"/{n}")) for n in range(40)))
        second = await asyncio.gather(*(fetcher.fetch(web.url(f"/{n}")) for n in range(40)))
        return [*first, *second]

    with TinyWeb({f"/{n}": f"page {n}" for n in range(40)}) as web:
        responses = use_fetcher(use)
        clients = {request.client for request in web.log}
    assert [r.body for r in responses] == [f"page {n % 40}".encode() for n in range(80)]
    assert len(clients) <= 40


def test_requests_overlap(use_fetcher):
    async def use(fetcher):
        waiting = [asyncio.create_task(fetcher.fetch(web.url("/held"))) for _ in range(32)]
        seen = await asyncio.to_thread(web.wait_for, "/held", 32)
        other = await fetcher.fetch(web.url("/other"))
        web.release("/held")
        return seen, other, await asyncio.gather(*waiting)

    with TinyWeb({"/held": "held", "/other": "other"}) as web:
        web.hold("/held")
        seen, other, held = use_fetcher(use)
    assert seen
    assert other.body == b"other"
    assert {r.body for r in held} == {b"held"}


def test_a_cancelled_fetch_leaves_the_fetcher_usable(use_fetcher):
    async def use(fetcher):
        task = asyncio.create_task(fetcher.fetch(web.url("/held")))
        await asyncio.to_thread(web.wait_for, "/held")
        task.cancel()
        result = (await asyncio.gather(task, return_exceptions=True))[0]
        return result, await fetcher.fetch(web.url("/"))

    with TinyWeb({"/held": "held", "/": "hi"}) as web:
        web.hold("/held")
        result, after = use_fetcher(use)
    assert isinstance(result, asyncio.CancelledError)
    assert after.body == b"hi"


def test_closing_ends_what_is_under_way_as_a_failure(use_fetcher):
    async def use(fetcher):
        task = asyncio.create_task(fetcher.fetch(web.url("/held")))
        await asyncio.to_thread(web.wait_for, "/held")
        await fetcher.close()
        return await task

    with TinyWeb({"/held": "held"}) as web:
        web.hold("/held")
        outcome = use_fetcher(use)
    assert isinstance(outcome, Failure)
    assert "closed" in outcome.detail


def test_a_connection_the_server_closed_between_requests_is_replaced(use_fetcher):
    async def use(fetcher):
        return [await fetcher.fetch(web.url("/")) for _ in range(3)]

    raw = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"
    with TinyWeb({"/": Reply(raw=raw)}) as web:
        assert [r.body for r in use_fetcher(use)] == [b"ok"] * 3


def test_a_url_curl_cannot_read_is_a_failure(get):
    outcome = get("http://127.0.0.1:99999/")
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.PROTOCOL


def test_a_control_character_in_a_header_is_a_broken_promise(get):
    with pytest.raises(ValueError, match="control characters"):
        get("http://127.0.0.1/", headers=(("X-A", "a\r\nX-B: b"),))


def test_the_environment_does_not_choose_a_proxy(get, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with TinyWeb({"/": "direct"}) as web:
        assert get(web.url("/")).body == b"direct"


def test_it_runs_on_uvloop_too():
    async def main():
        guard = AddressGuard(seed_hosts=frozenset({"127.0.0.1"}))
        fetcher = Fetcher(FetchSettings("whimbrel-test/1"), guard, NameResolver())
        rounds = [await asyncio.gather(*(fetcher.fetch(web.url("/")) for _ in range(32))) for _ in range(3)]
        await fetcher.close()
        return [response.body for responses in rounds for response in responses]

    with TinyWeb({"/": Reply(TEXT, codings=("gzip",))}) as web:
        assert uvloop.run(main()) == [TEXT] * 96


def test_curl_is_stopped_when_it_goes_elsewhere_than_vetted():
    async def main(url):
        loop = asyncio.get_running_loop()
        engine = CurlLoop(loop, 4, finish, sticky=True)
        transfer = Transfer(FetchSettings("whimbrel-test/1"), engine.opened)
        transfer.begin(url, "127.0.0.9", False, [], False)
        transfer.done = loop.create_future()
        engine.start(transfer.curl)
        await transfer.done
        engine.close()
        transfer.curl.close()
        return transfer.outcome

    with TinyWeb({"/": "ok"}) as web:
        verdict = asyncio.run(main(web.url("/")))
        assert web.log == []
    assert isinstance(verdict, Verdict)
    assert verdict.rule == "address"


def test_an_ipv6_address_is_reached_by_name_and_as_a_literal(get, resolver_of):
    try:
        web = TinyWeb({"/": "six"}, addresses=("::1",))
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    guard = AddressGuard(seed_hosts=frozenset({"[::1]", "six.test"}))
    with web:
        literal = get(web.url("/"), guard=guard)
        named = get(web.url("/", "six.test"), guard=guard, resolver=resolver_of(six_test=["::1"]))
    assert (literal.body, literal.address) == (b"six", "::1")
    assert (named.body, named.address) == (b"six", "::1")
