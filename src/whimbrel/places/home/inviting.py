"""Inviting a place, letting it in when it knocks, and withdrawing what it was given."""

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.migrants.wire.itinerary import seal_of
from whimbrel.migrants.wire.speech import common, who_is_old
from whimbrel.places.home.book import BookedPlace, OwnServer, PlaceBook, PlaceStanding
from whimbrel.places.home.identity import Identity, identity_of
from whimbrel.places.home.server import choose_port, reload
from whimbrel.places.link.calls import Knock, LetIn
from whimbrel.places.link.code import Invitation, new_secret, written
from whimbrel.places.link.dial import fingerprint
from whimbrel.places.link.keys import KeyRole, claim, raw_of
from whimbrel.places.link.subjects import PLACE_NAME, place_rights

CODE_SECONDS = 7 * 86_400.0
RESERVED = frozenset(("here",))
CLOCK_SECONDS = 300
"""Credentials are dated back so far: a server elsewhere may have a slower clock."""


class PlaceRefused(Exception):
    """What was asked cannot be done; the message says why."""


class Invited(Struct, frozen=True):
    code: str
    dialled: str
    code_seconds: float


class WantedPlace(Struct, frozen=True):
    """An invitation as it is asked for. `listen` and `address` change where the folder's server is, where named."""

    name: str
    sites: tuple[str, ...]
    lasts_seconds: float
    listen: str = ""
    address: str = ""
    own: OwnServer | None = None


def invite(beside: Path, wanted: WantedPlace, taken: Sequence[str] = (), now: float | None = None) -> Invited:
    """Writes it into the book and gives the code. A place that has joined keeps working until its new code is used."""
    now = time.time() if now is None else now
    if not PLACE_NAME.fullmatch(wanted.name):
        raise PlaceRefused(f"a place is called by small letters, digits and dashes, not {wanted.name!r}")
    if wanted.name in RESERVED or wanted.name in taken:
        raise PlaceRefused(f"`{wanted.name}` is a place of this machine already; choose another name")
    if not wanted.sites:
        raise PlaceRefused("say which sites the place may speak for: --sites HOST")
    book = PlaceBook(beside)
    if wanted.own is not None:
        with book.change() as booked:
            booked.own = wanted.own
    own = book.read().own
    identity = identity_of(book.folder, own)
    if own is None:
        _listen(book, wanted)
    elif wanted.name in (known := book.read().places) and known[wanted.name].standing is PlaceStanding.REVOKED:
        raise PlaceRefused(f"your server may still let the revoked `{wanted.name}` in; choose another name")
    secret = new_secret()
    seconds = min(CODE_SECONDS, wanted.lasts_seconds)
    with book.change() as booked:
        invitation = Invitation(
            booked.servers, fingerprint(identity.certificate), seal_of(beside).public, wanted.name, wanted.sites,
            int(now) - CLOCK_SECONDS, int(now + seconds), identity.account.raw, secret,
        ).signed_by(identity.account)  # fmt: skip
        place = booked.places.get(wanted.name) or BookedPlace(wanted.name, [])
        if place.door_key:
            booked.withdrawn[place.door_key] = int(now)
        if place.standing is PlaceStanding.REVOKED:
            place = BookedPlace(wanted.name, [])
        place.sites = list(wanted.sites)
        place.invited_at, place.lasts_seconds = now, wanted.lasts_seconds
        place.invitation, place.code_expires_at = invitation.number, now + seconds
        place.door_key = invitation.key.public
        booked.places[wanted.name] = place
        dialled = booked.dialled
    reload(book, identity)
    return Invited(written(invitation), dialled, seconds)


def _listen(book: PlaceBook, wanted: WantedPlace) -> None:
    with book.change() as booked:
        if wanted.listen:
            host, colon, port = wanted.listen.rpartition(":")
            if not colon:
                host, port = wanted.listen, ""
            if port and not port.isdigit():
                raise PlaceRefused(f"--listen {wanted.listen}: expected ADDRESS or ADDRESS:PORT")
            if (host, int(port or booked.port)) != (booked.listen, booked.port):
                booked.listen, booked.port = host, int(port or 0)
        if wanted.address:
            booked.address = wanted.address
    choose_port(book)


def admit(book: PlaceBook, identity: Identity, number: str, knock: Knock, now: float) -> LetIn:
    """The answer to whoever knocks with an invitation: one place, once."""
    raw = raw_of(knock.key, KeyRole.USER)
    if raw is None:
        return LetIn(why="that is no key of a place")
    if not common(knock.wire):
        return LetIn(why=who_is_old(knock.wire, "this place", "home"))
    with book.change() as booked:
        place = next((one for one in booked.places.values() if one.invitation == number), None)
        if place is None:
            return LetIn(why="the invitation was used, withdrawn, or never written")
        if now > place.code_expires_at:
            return LetIn(why="the invitation has expired; ask for another")
        if knock.key in booked.withdrawn:
            return LetIn(why="the key of this place was withdrawn; `whimbrel place leave` and join anew")
        if place.key and place.key != knock.key:
            booked.withdrawn[place.key] = int(now)
        booked.withdrawn[place.door_key] = int(now) + 1
        expires = place.invited_at + place.lasts_seconds
        place.invitation, place.door_key = "", ""
        place.key, place.standing = knock.key, PlaceStanding.JOINED
        place.joined_at, place.expires_at, place.version = now, expires, knock.version
        name = place.name
    jwt = claim(identity.account, knock.key, name, int(now) - CLOCK_SECONDS, place_rights(name), int(expires))
    return LetIn(jwt, expires - now)


def revoke(beside: Path, name: str, now: float | None = None) -> bool:
    """The place is turned away from now on; whether a server that runs was told at once."""
    now = time.time() if now is None else now
    book = PlaceBook(beside)
    with book.change() as booked:
        place = booked.places.get(name)
        if place is None:
            known = ", ".join(booked.places) or "none"
            raise PlaceRefused(f"there is no place `{name}`; there are: {known}")
        for key in filter(None, (place.key, place.door_key)):
            booked.withdrawn[key] = int(now) + 1
        place.standing, place.invitation, place.door_key = PlaceStanding.REVOKED, "", ""
    own = book.read().own
    return reload(book, identity_of(book.folder, own))
