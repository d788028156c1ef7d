"""Where the hosts that a user names were when they were named.

A name is its owner's to point elsewhere, at the user's own network too. So a name is exempt from the guard of addresses
only for what it was when the user named it, and the folder remembers that.
"""

import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait

from whimbrel.fetch.dns import TIMEOUT_SECONDS
from whimbrel.fetch.guard import kind_of, parse_address
from whimbrel.records.url import Url
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import host

STRANGERS = "hosts named in the browser"
NAMED = "kinds of addresses when named"
_AT_A_TIME = 32


def addresses_named(urls: Iterable[Url]) -> list[str]:
    """The hosts that were named as addresses: nobody can point those elsewhere."""
    return sorted({name for name in map(host, urls) if parse_address(name) is not None})


def private_names(store: Writer, named: Iterable[Url], given: Iterable[Url]) -> list[tuple[str, str]]:
    """The names, of all that were ever named, that were at special addresses then, each with the kind of address.

    Those `given` just now are looked up, unless they were before: what was public once stays so, however often a
    command names it again. In a folder that remembers nothing yet, all are.
    """
    remembered = store.recall(NAMED)
    known: dict[str, list[str]] = remembered if isinstance(remembered, dict) else {}
    asked = {host(url) for url in (given if isinstance(remembered, dict) else [*named, *given])}
    found = _kinds(name for name in asked if name not in known and parse_address(name) is None)
    if found or remembered is None:
        known = known | found
        store.remember(NAMED, known)
    return sorted((name, kind) for name, kinds in known.items() for kind in kinds)


def strangers(store: Writer, named: Iterable[Url], given: Iterable[Url], from_browser: bool) -> set[str]:
    """The hosts that nobody but a form in the browser ever named: anybody may have filled it in, so they are judged by
    where they are. What is named on the command line is the owner's, from then on."""
    remembered = store.recall(STRANGERS)
    known = set(remembered if isinstance(remembered, list) else [])
    now = {host(url) for url in given}
    owners = {host(url) for url in named} - known
    known = known | (now - owners) if from_browser else known - now
    store.remember(STRANGERS, sorted(known))
    return known


def _kinds(names: Iterable[str]) -> dict[str, list[str]]:
    """A name that has no address now, or does not give it in time, is left out: it may be named again."""
    asking = ThreadPoolExecutor(_AT_A_TIME)
    lookups = {asking.submit(_addresses, name): name for name in names}
    done, _ = wait(lookups, TIMEOUT_SECONDS)
    asking.shutdown(wait=False, cancel_futures=True)
    answers = {lookups[one]: one.result() for one in done}
    return {
        name: sorted({kind_of(address) for address in addresses} - {""})
        for name, addresses in answers.items()
        if addresses
    }


def _addresses(name: str) -> list[str]:
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []
