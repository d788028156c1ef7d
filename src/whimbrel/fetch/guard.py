"""Decides which addresses may be connected to."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from msgspec import Struct

from whimbrel.records.verdict import ACCEPTED, Verdict, refused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

SPECIAL: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(network), name)
    for network, name in (
        # IANA IPv4 and IPv6 Special-Purpose Address Registries
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "reserved"),
        ("192.52.193.0/24", "reserved"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "reserved"),
        ("198.18.0.0/15", "benchmark"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard-only"),
        ("2001:2::/48", "benchmark"),
        ("2001:10::/28", "reserved"),
        ("2001:20::/28", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "segment routing"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
GLOBAL_IPV6 = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")
COMPATIBLE = IPv6Network("::/96")
TRANSLATED = IPv6Network("::ffff:0:0:0/96")  # SIIT, RFC 2765

ISATAP = (0x00005EFE, 0x02005EFE)  # RFC 5214, 6.1


class AddressGuard(Struct, frozen=True):
    """`seed_hosts` were named by the user as addresses and are exempt; `networks` are those the user allowed. A name in
    `private_names` was at an address of that kind ("private", "loopback") when the user named it, and may be at one
    again. Any other name is its owner's to point where he likes, and is judged by where it points."""

    seed_hosts: frozenset[str] = frozenset()
    networks: tuple[str, ...] = ()
    private_names: frozenset[tuple[str, str]] = frozenset()
    own: frozenset[str] = frozenset()
    """Addresses of this machine that are refused although they are public."""

    def judge(self, host: str, address: str) -> Verdict:
        return _judge(self, host, address)


@lru_cache(maxsize=65536)
def _judge(guard: AddressGuard, host: str, address: str) -> Verdict:
    if host in guard.seed_hosts or f"[{host}]" in guard.seed_hosts:
        return ACCEPTED
    parsed = parse_address(address)
    if parsed is None:
        return refused("address", f"{host}: {address!r} is not an address")
    if any(_inside(parsed, ip_network(network, strict=False)) for network in guard.networks):
        return ACCEPTED
    if str(parsed) in guard.own:
        return refused("address", f"{host} is this machine ({address}); to fetch it, --allow-network {parsed}")
    kind, disguise = _special(parsed)
    if not kind or (host, kind) in guard.private_names:
        return ACCEPTED
    seen = address if address == host else f"{host} is at {address}"
    article = "an" if kind[0] in "aeiou" else "a"
    return refused("address", f"{seen}: {article} {kind} address{disguise}; to fetch it, --allow-network {parsed}")


def kind_of(address: str) -> str:
    """ "private", "loopback" and the like for an address that is refused unless it was named; "" for a public one."""
    parsed = parse_address(address)
    return _special(parsed)[0] if parsed is not None else ""


def parse_address(text: str) -> Address | None:
    """A zone ("fe80::1%eth0") does not change which network an address is in."""
    try:
        return ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def is_loopback(address: str) -> bool:
    parsed = parse_address(address)
    if parsed is None:
        return False
    inner = _hidden(parsed)[0]
    return parsed.is_loopback or (inner is not None and inner.is_loopback)


def _inside(address: Address, network: Network) -> bool:
    if address.version == network.version:
        return address in network
    inner, _ = _hidden(address)
    return inner is not None and inner.version == network.version and inner in network


def _special(address: Address) -> tuple[str, str]:
    """The kind of an address that is not public, and how it is disguised."""
    for network, name in SPECIAL:
        if address.version == network.version and address in network:
            return name, ""
    inner, disguise = _hidden(address)
    if inner is not None:
        kind, _ = _special(inner)
        return kind, f" ({inner}) in {disguise} disguise" if kind else ""
    if isinstance(address, IPv6Address) and address not in GLOBAL_IPV6:
        return "not global", ""
    return "", ""


def _hidden(address: Address) -> tuple[IPv4Address | None, str]:
    """The IPv4 address that packets to this IPv6 address end up at."""
    if isinstance(address, IPv4Address):
        return None, ""
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped is not None:
        return low, "IPv4-mapped"
    if address.sixtofour is not None:
        return address.sixtofour, "6to4"
    if address.teredo is not None:
        server, client = address.teredo
        return (client if _special(client)[0] else server), "Teredo"
    if address in NAT64:
        return low, "NAT64"
    if address in TRANSLATED:
        return low, "IPv4-translated"
    if int(address) >> 32 & 0xFFFFFFFF in ISATAP:
        return low, "ISATAP"
    if address in COMPATIBLE and int(address) > 1:
        return low, "IPv4-compatible"
    return None, ""
