"""Which addresses are refused, in every disguise."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.fetch.guard import AddressGuard, is_loopback
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.verdict import Verdict
from whimbrel.testing.web import TinyWeb

REFUSED = [
    "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "0.0.0.0", "0.1.2.3",
    "169.254.169.254", "100.64.0.1", "100.127.255.255", "198.18.0.1", "192.0.0.8", "192.0.2.1", "198.51.100.7",
    "203.0.113.7", "192.88.99.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "100::1", "2001:db8::1",
    "3fff::1", "64:ff9b:1::a00:1", "2001:2::1", "4000::1",
    "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:169.254.169.254", "::127.0.0.1", "::10.0.0.1", "::ffff:0:10.0.0.1",
    "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::",
    "2001:0:a00:1::", "2001:0:4136:e378:8000:63bf:f5ff:fffe", "2606:4700::5efe:10.0.0.1", "not an address", "",
]  # fmt: skip
ALLOWED = [
    "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.32.0.1", "198.20.0.1", "2606:4700::1111",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
]  # fmt: skip


@pytest.mark.parametrize("address", REFUSED)
def test_special_addresses_are_refused_with_the_reason(address):
    verdict = AddressGuard().judge("evil.test", address)
    assert (verdict.accepted, verdict.rule) == (False, "address")
    assert "evil.test" in verdict.reason


@pytest.mark.parametrize("address", ALLOWED)
def test_public_addresses_pass(address):
    assert AddressGuard().judge("good.test", address).accepted


def test_seeds_and_allowed_networks_are_exempt():
    guard = AddressGuard(seed_hosts=frozenset({"intranet"}), networks=("10.1.0.0/16", "fd00::/8"))
    assert guard.judge("intranet", "192.168.0.1").accepted
    assert guard.judge("other", "10.1.2.3").accepted
    assert guard.judge("other", "::ffff:10.1.2.3").accepted
    assert guard.judge("other", "fd00::1").accepted
    assert not guard.judge("other", "10.2.0.1").accepted
    assert not guard.judge("sub.intranet", "192.168.0.1").accepted


def test_a_name_is_exempt_for_what_it_was_when_it_was_named():
    guard = AddressGuard(private_names=frozenset({("wiki.test", "private")}))
    assert guard.judge("wiki.test", "10.1.2.3").accepted
    assert guard.judge("wiki.test", "::ffff:192.168.0.9").accepted
    assert not guard.judge("wiki.test", "127.0.0.1").accepted
    assert not guard.judge("other.test", "10.1.2.3").accepted


@given(st.ip_addresses(v=4))
def test_a_disguise_never_changes_the_answer(address: IPv4Address):
    guard = AddressGuard()
    plain = guard.judge("h", str(address)).accepted
    number = int(address)
    for disguised in (
        IPv6Address(0xFFFF << 32 | number),
        IPv6Address(0x64FF9B << 96 | number),
        IPv6Address(0x2002 << 112 | number << 80 | 1),
    ):
        assert guard.judge("h", str(disguised)).accepted == plain, disguised


def test_loopback_is_recognised():
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("::ffff:127.0.0.1")
    assert not is_loopback("8.8.8.8")
    assert not is_loopback("localhost")


NETWORK = AddressGuard(networks=("127.0.0.1/32",))


def test_a_name_that_leads_to_a_private_address_is_not_asked(get, resolver_of):
    with TinyWeb({"/": "secret"}) as web:
        outcome = get(web.url("/", "evil.test"), guard=AddressGuard(), resolver=resolver_of(evil_test=["127.0.0.1"]))
        literal = get(web.url("/"), guard=AddressGuard())
        assert web.log == []
    for verdict in (outcome, literal):
        assert isinstance(verdict, Verdict)
        assert verdict.rule == "address"


def test_of_a_mix_only_the_allowed_addresses_are_used(get, resolver_of):
    with TinyWeb({"/": "ok"}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        resolver = resolver_of(mixed_test=["10.0.0.1", "127.0.0.2", "127.0.0.1"])
        outcome = get(web.url("/", "mixed.test"), guard=NETWORK, resolver=resolver)
        assert web.log[0].server[0] == "127.0.0.1"
        assert web.log[0].headers["host"] == f"mixed.test:{web.port}"
    assert isinstance(outcome, Response)
    assert outcome.address == "127.0.0.1"


def test_the_next_address_is_tried_when_nobody_answers(get, resolver_of):
    with TinyWeb({"/": "ok"}, addresses=("127.0.0.2",)) as web:
        resolver = resolver_of(two_test=["127.0.0.1", "127.0.0.2"])
        guard = AddressGuard(networks=("127.0.0.0/8",))
        outcome = get(web.url("/", "two.test"), guard=guard, resolver=resolver)
        none = get(web.url("/", "two.test"), guard=NETWORK, resolver=resolver)
    assert isinstance(outcome, Response)
    assert outcome.address == "127.0.0.2"
    assert isinstance(none, Failure)
    assert none.kind is FailureKind.CONNECT


def test_a_name_that_changes_its_address_is_vetted_again(use_fetcher):
    from whimbrel.fetch.dns import NameResolver

    answers = [["127.0.0.1"], ["127.0.0.2"]]

    async def lookup(_host: str) -> list[str]:
        return answers.pop(0)

    async def use(fetcher):
        return [await fetcher.fetch(web.url("/", "rebind.test")) for _ in range(2)]

    with TinyWeb({"/": "ok"}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        first, second = use_fetcher(use, guard=NETWORK, resolver=NameResolver(lookup, expiry_seconds=-1.0))
        assert len(web.log) == 1
    assert isinstance(first, Response)
    assert isinstance(second, Verdict)


def test_names_on_one_handle_do_not_inherit_the_pin(use_fetcher, resolver_of):
    async def use(fetcher):
        hosts = ("one.test", "two.test", "127.0.0.1", "one.test")
        return [await fetcher.fetch(web.url("/", host)) for host in hosts]

    with TinyWeb({"/": "ok"}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        resolver = resolver_of(one_test=["127.0.0.1"], two_test=["127.0.0.2"])
        use_fetcher(use, guard=AddressGuard(networks=("127.0.0.0/8",)), resolver=resolver)
        reached = [request.server[0] for request in web.log]
    assert reached == ["127.0.0.1", "127.0.0.2", "127.0.0.1", "127.0.0.1"]


def test_an_unknown_name_is_a_dns_failure(get, resolver_of):
    outcome = get("http://nowhere.test/", resolver=resolver_of())
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.DNS
    assert "not known" in outcome.detail
