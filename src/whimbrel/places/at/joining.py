"""Joining a home: the key is made here and stays here; home is known by what its invitation says."""

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.migrants.wire.private import write_private
from whimbrel.migrants.wire.speech import SPOKEN
from whimbrel.places.at.terms import FILE, HomeTerms, PlaceTerms, TermsError, load_terms, write_terms
from whimbrel.places.link import subjects
from whimbrel.places.link.calls import Knock, LetIn, decode, encode
from whimbrel.places.link.code import Invitation
from whimbrel.places.link.dial import Dial, DialError, ServerAddress, certificate_at, fingerprint
from whimbrel.places.link.keys import KeyPair, KeyRole

KNOCK_SECONDS = 3.0


class JoinRefused(Exception):
    """Home does not let this place in; the message says why."""


class Membership(Struct):
    """What a place keeps of a home that it has joined, or is about to. `jwt` is empty until home has answered;
    `expires_at` is by the clock here, from the seconds that home named."""

    home: str
    place: str
    servers: tuple[str, ...]
    certificate: str
    sites: tuple[str, ...]
    joined_at: float = 0.0
    jwt: str = ""
    expires_at: float = 0.0
    invitation: Invitation | None = None


class PlaceFolder:
    """Where a place keeps its key, its homes, its terms, what waits and its diary."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()  # migrants are told of it, and run elsewhere

    @property
    def exists(self) -> bool:
        return (self.path / FILE).is_file()

    @property
    def key_file(self) -> Path:
        return self.path / "place.key"

    def key(self) -> KeyPair:
        if not self.key_file.exists():
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(self.key_file, os.urandom(32).hex().encode())
        return KeyPair(KeyRole.USER, bytes.fromhex(self.key_file.read_text().strip()))

    def memberships(self) -> list[Membership]:
        return [
            msgspec.json.decode(path.read_bytes(), type=Membership)
            for path in sorted((self.path / "homes").glob("*.json"))
        ]

    def joined(self, home: str) -> Membership | None:
        """What is kept of a home that has let this place in."""
        return next((one for one in self.memberships() if one.home == home and one.jwt), None)

    def save(self, membership: Membership) -> None:
        folder = self.path / "homes"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(folder / f"{membership.home[:16]}.json", msgspec.json.encode(membership))

    def held(self, home: str) -> Path:
        return self.path / "held" / home[:16]

    def sites(self, home: str) -> Path:
        return self.path / "sites" / home[:16]

    @property
    def paused(self) -> bool:
        return (self.path / "paused").exists()

    def pause(self, paused: bool) -> None:
        if paused:
            (self.path / "paused").touch()
        else:
            (self.path / "paused").unlink(missing_ok=True)

    def leave(self) -> None:
        """Nothing of it stays."""
        shutil.rmtree(self.path)


async def join(
    folder: PlaceFolder, invitation: Invitation, patience_seconds: float, version: str, now: float | None = None
) -> Membership:
    """Nothing is written before home has answered, but for a key where there was none: a join that is refused leaves
    all as it was. A home that was not heard in time is asked again by `place run`, unless this place has joined it
    already: what it holds of it is worth more than an invitation."""
    certificate = await pinned(invitation)
    membership = Membership(
        invitation.home.hex(), invitation.place, invitation.servers, certificate, invitation.sites,
        time.time() if now is None else now, invitation=invitation,
    )  # fmt: skip
    terms = _terms_with(folder, membership)
    with _key_made_for(folder):
        try:
            joined = await _let_in(folder, membership, patience_seconds, version)
        except DialError:
            if folder.joined(membership.home) is not None:
                raise
            joined = membership
    if terms is not None:
        write_terms(folder.path, terms)
    folder.save(joined)
    return joined


def _terms_with(folder: PlaceFolder, membership: Membership) -> PlaceTerms | None:
    """The owner's terms with this home among them; None where they need not be written. Limits that the owner set
    for a home stay."""
    try:
        terms = load_terms(folder.path)
    except TermsError:
        if folder.exists:
            raise
        terms = PlaceTerms()
    before, sites = terms.of(membership.home), list(membership.sites)
    if before is None:
        named = HomeTerms(f"home-{membership.home[:8]}", membership.home, sites)
        return msgspec.structs.replace(terms, home=[*terms.home, named])
    if before.sites == sites:
        return None
    now = msgspec.structs.replace(before, sites=sites)
    return msgspec.structs.replace(terms, home=[now if home is before else home for home in terms.home])


@contextmanager
def _key_made_for(folder: PlaceFolder) -> Iterator[None]:
    """Home is told the key, so it is written first; where nobody was let in with it, it goes again."""
    made_folder, made_key = not folder.path.exists(), not folder.key_file.exists()
    folder.key()
    try:
        yield
    except BaseException:
        if made_key:
            folder.key_file.unlink(missing_ok=True)
        if made_folder:
            shutil.rmtree(folder.path, ignore_errors=True)
        raise


async def pinned(invitation: Invitation) -> str:
    """The server's certificate, where it is the one that the invitation names."""
    faults = []
    for server in invitation.servers:
        try:
            certificate = await certificate_at(server)
        except DialError as error:
            faults.append(str(error))
            continue
        if fingerprint(certificate) == invitation.certificate:
            return certificate
        raise JoinRefused(
            f"the server at {server} shows another certificate than the invitation names: it is not the home that "
            "invited, or somebody stands between. Nothing was sent to it."
        )
    raise DialError("; ".join(faults))


async def knock(folder: PlaceFolder, membership: Membership, patience_seconds: float, version: str) -> Membership:
    """Asks home to be let in; waits for its answer so long, and keeps what it says."""
    joined = await _let_in(folder, membership, patience_seconds, version)
    folder.save(joined)
    return joined


async def _let_in(folder: PlaceFolder, membership: Membership, patience_seconds: float, version: str) -> Membership:
    invitation = membership.invitation
    assert invitation is not None, "there is an invitation until home has answered"
    dial = Dial(ServerAddress(membership.servers, membership.certificate), invitation.key, invitation.jwt, "joining")
    answers: asyncio.Queue[LetIn] = asyncio.Queue()
    dial.subscribe(subjects.door(invitation.number, "answer"), lambda _, data: answers.put_nowait(decode(data, LetIn)))
    said = encode(Knock(folder.key().public, version, SPOKEN))
    dial.start()
    try:
        async with asyncio.timeout(patience_seconds):
            answer = await _answered(dial, subjects.door(invitation.number, "knock"), said, answers)
    except TimeoutError:
        raise DialError(dial.fault or "home does not answer") from None
    finally:
        await dial.close()
    if not answer.jwt:
        raise JoinRefused(answer.why)
    return msgspec.structs.replace(membership, jwt=answer.jwt, expires_at=time.time() + answer.seconds, invitation=None)


async def _answered(dial: Dial, subject: str, said: bytes, answers: "asyncio.Queue[LetIn]") -> LetIn:
    while True:
        dial.publish(subject, said)
        if dial.refusals > 1:
            raise JoinRefused("home's server refuses the invitation: it was used, withdrawn or has expired")
        try:
            async with asyncio.timeout(KNOCK_SECONDS if dial.connected.is_set() else 0.2):
                return await answers.get()
        except TimeoutError:
            continue
