"""In which version of the wire two sides speak: the newest that both know. Each knows its own and the one before.

A migrant says in `Hello` what it speaks from then on; at a place it is started with the version that home called for.
`Hello` itself is the same in every version.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from whimbrel.migrants.wire import before, messages
from whimbrel.migrants.wire.messages import Brief, FromHome, FromMigrant, WireError


class Speech(Struct, frozen=True):
    """One version. What an older one said is read by `messages`, too: fields that it did not have are the last of
    their records, and have defaults."""

    version: int
    encode: Callable[[FromHome | FromMigrant], bytes]
    cannot_say: Callable[[Brief], str]


TODAY = Speech(messages.VERSION, messages.encode, lambda brief: "")
SPEECHES = {one.version: one for one in (TODAY, Speech(before.VERSION, before.encode, before.cannot_say))}
SPOKEN = list(SPEECHES)


def common(theirs: Iterable[int]) -> int:
    """The newest version that the other side speaks too; 0 where there is none."""
    return max(set(SPOKEN) & set(theirs), default=0)


def speech(version: int) -> Speech:
    if version not in SPEECHES:
        raise WireError(f"the other side speaks version {version}, this one {words(SPOKEN)}")
    return SPEECHES[version]


def words(versions: Iterable[int]) -> str:
    return " and ".join(map(str, versions))


def who_is_old(theirs: Iterable[int], they: str, we: str) -> str:
    """Which side is too old for the other, and what to type there. `they` and `we` are names such as `home`."""
    theirs = sorted(theirs, reverse=True)
    older, where = (they, "its") if max(theirs, default=0) < max(SPOKEN) else (we, "this")
    return (
        f"{they} speaks version {words(theirs) or 'none'} of the wire, {we} {words(SPOKEN)}: {older} is too old. "
        f"In {where} checkout of Whimbrel: `git pull && ./whimbrel --version`, then start it again"
    )
