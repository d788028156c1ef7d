"""The code of an invitation: one line of text that says where home is, by which certificate and key it is known, and
that lets its holder knock once.

Whoever holds it can knock, and no more: the key that a place works with is made there. The JWT by which the holder is
let as far as the door is not in the code; it follows from what is, but for its signature.
"""

import base64
import binascii
import hashlib
import os

import msgspec
from msgspec import Struct

from whimbrel.places.link.keys import KeyPair, KeyRole, claim_body, public_name, signed
from whimbrel.places.link.subjects import door_rights

PREFIX = "whimbrel-place-1-"
SECRET_BYTES = 16


class CodeError(ValueError):
    """The message says what is wrong with the code."""


class Invitation(Struct, frozen=True, array_like=True):
    """`servers` are host:port, one of which answers; `certificate` is the SHA-256 of the server's certificate, empty
    where it is on this machine and speaks in the clear. `account` signs who may connect, `home` itineraries."""

    servers: tuple[str, ...]
    certificate: bytes
    home: bytes
    place: str
    sites: tuple[str, ...]
    issued: int
    expires: int
    account: bytes
    secret: bytes
    proof: bytes = b""

    @property
    def number(self) -> str:
        """What both sides call it; the secret cannot be told from it."""
        return hashlib.sha256(b"whimbrel invitation" + self.secret).hexdigest()[:16]

    @property
    def key(self) -> KeyPair:
        return KeyPair(KeyRole.USER, hashlib.sha256(b"whimbrel door" + self.secret).digest())

    def _body(self) -> bytes:
        account = public_name(KeyRole.ACCOUNT, self.account)
        name = f"invitation {self.number}"
        return claim_body(account, self.key.public, name, self.issued, door_rights(self.number), self.expires)

    def jwt(self) -> str:
        return signed(self._body(), self.proof)

    def signed_by(self, account: KeyPair) -> "Invitation":
        return msgspec.structs.replace(self, proof=account.sign(self._body()))


def new_secret() -> bytes:
    return os.urandom(SECRET_BYTES)


def written(invitation: Invitation) -> str:
    body = msgspec.msgpack.encode(invitation)
    return PREFIX + base64.urlsafe_b64encode(body + _check(body)).decode().rstrip("=")


def read(text: str) -> Invitation:
    """White space and line breaks that mail put in do no harm."""
    text = "".join(text.split())
    if not text.startswith(PREFIX):
        raise CodeError(f"that is no code of an invitation: one begins with {PREFIX}")
    encoded = text.removeprefix(PREFIX)
    try:
        data = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise CodeError("the code holds letters that no code has; copy it once more") from None
    body, check = data[:-4], data[-4:]
    if _check(body) != check:
        raise CodeError("the code is not whole, or a letter of it is wrong; copy it once more")
    try:
        return msgspec.msgpack.decode(body, type=Invitation)
    except msgspec.DecodeError as error:
        raise CodeError(f"the code cannot be read ({error}); was it made by another release?") from error


def _check(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:4]
