"""Keys and signed claims as NATS writes them: Ed25519 keys in base 32 with a letter for their role, JWTs signed by
them.

nkeys are what https://docs.nats.io calls the former; twenty lines over `cryptography` are all of it that is needed
here.
"""

import base64
import binascii
import hashlib
import os
from enum import IntEnum

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_SEED = 18 << 3
HEADER = b'{"typ":"JWT","alg":"ed25519-nkey"}'


class KeyRole(IntEnum):
    """The first byte of a public key, five bits of which are its first letter."""

    ACCOUNT = 0
    OPERATOR = 14 << 3
    USER = 20 << 3


class KeyPair:
    """A signing key in one role; `public` is its name everywhere."""

    def __init__(self, role: KeyRole, seed: bytes) -> None:
        self.seed = seed
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.raw = self._key.public_key().public_bytes_raw()
        self.public = public_name(role, self.raw)

    def sign(self, data: bytes) -> bytes:
        return self._key.sign(data)


def fresh(role: KeyRole) -> KeyPair:
    return KeyPair(role, os.urandom(32))


def public_name(role: KeyRole, raw: bytes) -> str:
    body = bytes([role]) + raw
    checked = body + binascii.crc_hqx(body, 0).to_bytes(2, "little")
    return base64.b32encode(checked).decode().rstrip("=")


def written_seed(role: KeyRole, seed: bytes) -> str:
    """A secret key as NATS's own tools write it: `S`, the letter of its role, and the rest."""
    body = bytes([_SEED | role >> 5, (role & 31) << 3]) + seed
    return base64.b32encode(body + binascii.crc_hqx(body, 0).to_bytes(2, "little")).decode().rstrip("=")


def read_seed(text: str, role: KeyRole) -> KeyPair | None:
    """The key that was written so; None where it is none of that role."""
    text = text.strip()
    try:
        data = base64.b32decode(text + "=" * (-len(text) % 8))
    except (binascii.Error, ValueError):
        return None
    return KeyPair(role, data[2:34]) if len(data) == 36 and written_seed(role, data[2:34]) == text else None


def raw_of(name: str, role: KeyRole) -> bytes | None:
    """The key behind a public name; None where it is none of that role."""
    try:
        data = base64.b32decode(name + "=" * (-len(name) % 8))
    except (binascii.Error, ValueError):
        return None
    return data[1:33] if len(data) == 35 and public_name(role, data[1:33]) == name else None


def verifies(raw: bytes, proof: bytes, data: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(proof, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def claim(issuer: KeyPair, subject: str, name: str, issued: int, nats: dict[str, object], expires: int = 0) -> str:
    """A JWT by which the issuer says something of the subject."""
    body = claim_body(issuer.public, subject, name, issued, nats, expires)
    return signed(body, issuer.sign(body))


def claim_body(issuer: str, subject: str, name: str, issued: int, nats: dict[str, object], expires: int = 0) -> bytes:
    claims: dict[str, object] = {"iat": issued, "iss": issuer, "sub": subject, "name": name, "nats": nats}
    if expires:
        claims["exp"] = expires
    digest = hashlib.new("sha512_256", msgspec.json.encode(claims)).digest()
    claims["jti"] = base64.b32encode(digest).decode().rstrip("=")
    return _url64(HEADER) + b"." + _url64(msgspec.json.encode(claims))


def signed(body: bytes, proof: bytes) -> str:
    return (body + b"." + _url64(proof)).decode()


def _url64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
