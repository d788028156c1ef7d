"""TLS, HTTP/2 and proxies."""

import asyncio
import shutil
import socket
import ssl
import subprocess

import pytest
import trustme

from whimbrel.fetch.guard import AddressGuard
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.verdict import Verdict
from whimbrel.testing.web import Reply, TinyWeb

NETWORK = AddressGuard(networks=("127.0.0.0/8",))


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority, tmp_path_factory):
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return str(path)


def context_for(authority, *hosts):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*hosts).configure_cert(context)
    return context


def test_a_certificate_we_trust_passes(get, authority, ca_file, resolver_of):
    with TinyWeb({"/": "secret"}, tls=context_for(authority, "good.test")) as web:
        url = web.url("/", "good.test")
        response = get(url, ca_file=ca_file, guard=NETWORK, resolver=resolver_of(good_test=["127.0.0.1"]))
    assert isinstance(response, Response)
    assert (response.url, response.body, response.address) == (url, b"secret", "127.0.0.1")


def test_bad_certificates_are_tls_failures(get, authority, ca_file, resolver_of):
    resolver = resolver_of(wrong_test=["127.0.0.1"], good_test=["127.0.0.1"])
    with TinyWeb({"/": "secret"}, tls=context_for(authority, "good.test")) as web:
        wrong_name = get(web.url("/", "wrong.test"), ca_file=ca_file, guard=NETWORK, resolver=resolver)
        unknown = get(web.url("/", "good.test"), guard=NETWORK, resolver=resolver)
        unverified = get(web.url("/", "wrong.test"), verify_tls=False, guard=NETWORK, resolver=resolver)
        assert len(web.log) == 1
    for failure in (wrong_name, unknown):
        assert isinstance(failure, Failure)
        assert failure.kind is FailureKind.TLS
    assert unverified.body == b"secret"


def test_a_ca_file_stands_beside_the_systems(get, authority, ca_file, resolver_of, tmp_path, monkeypatch):
    """The system's certificates are those that OpenSSL is told of; here, of an authority of our own."""
    public, nobody = trustme.CA(), trustme.CA()
    public.cert_pem.write_to_path(tmp_path / "system.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "system.pem"))
    given = {"guard": NETWORK, "resolver": resolver_of(a_test=["127.0.0.1"])}
    seen = {}
    for name, whose in (("public", public), ("private", authority), ("nobody", nobody)):
        with TinyWeb({"/": name}, tls=context_for(whose, "a.test")) as web:
            url = web.url("/", "a.test")
            seen[name] = [isinstance(get(url, ca_file=trust, **given), Response) for trust in ("", ca_file)]
    assert seen == {"public": [True, True], "private": [False, True], "nobody": [False, False]}


def test_tls_spoken_to_a_plain_server_is_a_tls_failure(get):
    with TinyWeb({"/": "plain"}) as web:
        outcome = get(web.url("/").replace("http:", "https:"), total_seconds=1)
    assert isinstance(outcome, Failure)
    assert outcome.kind in (FailureKind.TLS, FailureKind.TIMEOUT)


def test_a_proxy_gets_the_request_and_names_are_still_vetted(get, resolver_of):
    resolver = resolver_of(inside_test=["10.0.0.1"], outside_test=["8.8.8.8"])
    pages = {"http://outside.test/": "by proxy", "http://unknown.test/": "by proxy"}
    with TinyWeb(pages) as proxy:
        given = {"proxy": proxy.url(""), "guard": AddressGuard(), "resolver": resolver}
        taken = get("http://outside.test/", **given)
        unknown_here = get("http://unknown.test/", **given)
        inside = get("http://inside.test/", **given)
        literal = get("http://169.254.169.254/", **given)
        assert len(proxy.log) == 2
    assert taken.body == unknown_here.body == b"by proxy"
    assert isinstance(inside, Verdict)
    assert isinstance(literal, Verdict)


def test_a_proxy_that_is_away_is_a_proxy_failure(get, resolver_of):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    resolver = resolver_of(a_test=["8.8.8.8"])
    outcome = get("http://a.test/", proxy=f"http://127.0.0.1:{port}", resolver=resolver)
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.PROXY


def test_a_proxy_that_refuses_the_tunnel_is_a_proxy_failure(get, resolver_of):
    refusal = Reply(raw=b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
    with TinyWeb({"a.test:443": refusal}) as proxy:
        outcome = get("https://a.test/", proxy=proxy.url(""), resolver=resolver_of(a_test=["8.8.8.8"]))
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.PROXY


CONFIGURATION = """
user root; daemon off; pid {folder}/pid; error_log stderr crit; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{port} ssl http2; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/cert.pem;
    root {folder}/www;
  }}
}}
"""


@pytest.fixture
def nginx(authority, tmp_path):
    binary = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if binary is None:
        pytest.skip("nginx is not installed: no HTTP/2 server at hand")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    (tmp_path / "www").mkdir()
    for number in range(50):
        (tmp_path / "www" / f"{number}.html").write_bytes(b"%d " % number * 5000)
    leaf = authority.issue_cert("h2.test")
    leaf.private_key_and_cert_chain_pem.write_to_path(tmp_path / "cert.pem")
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=tmp_path, port=port))
    process = subprocess.Popen([binary, "-c", str(configuration)], stderr=subprocess.DEVNULL)
    yield port, process
    process.terminate()
    process.wait()


def test_http2_comes_back_with_an_ordinary_status_line(use_fetcher, resolver_of, nginx, ca_file):
    port, process = nginx

    async def use(fetcher):
        while process.poll() is None:
            first = await fetcher.fetch(f"https://h2.test:{port}/0.html")
            if isinstance(first, Response):
                break
        urls = [f"https://h2.test:{port}/{number}.html" for number in range(50)]
        return await asyncio.gather(*(fetcher.fetch(url) for url in urls))

    resolver = resolver_of(h2_test=["127.0.0.1"])
    responses = use_fetcher(use, guard=NETWORK, resolver=resolver, ca_file=ca_file)
    assert [r.body for r in responses] == [b"%d " % number * 5000 for number in range(50)]
    assert {r.protocol for r in responses} == {"HTTP/2"}
    assert all(r.head.startswith(b"HTTP/1.1 200 OK\r\n") for r in responses)
