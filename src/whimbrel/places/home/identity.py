"""The keys of a folder's own NATS server: who runs it, the one account that all its users belong to, the user that home
is, and the certificate by which places know it. Made when the first place is invited; nobody but their owner reads
them."""

import datetime
import os
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec import Struct

from whimbrel.migrants.wire.private import write_private
from whimbrel.places.home.book import OwnServer
from whimbrel.places.link.keys import KeyPair, KeyRole, claim, read_seed
from whimbrel.places.link.subjects import home_rights

UNLIMITED = {
    "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1,
}  # fmt: skip


class _Seeds(Struct, frozen=True):
    operator: str
    system: str
    account: str
    home: str


class AccountMissing(Exception):
    """The key of the account on one's own server cannot be had; the message says what to do."""


class Identity:
    """Opened by `identity_of`."""

    def __init__(self, folder: Path, seeds: _Seeds, own: OwnServer | None = None) -> None:
        self.operator = KeyPair(KeyRole.OPERATOR, bytes.fromhex(seeds.operator))
        self.system = KeyPair(KeyRole.ACCOUNT, bytes.fromhex(seeds.system))
        self.account = account_at(own.account) if own else KeyPair(KeyRole.ACCOUNT, bytes.fromhex(seeds.account))
        self._shown = own.certificate if own else ""
        self.home = KeyPair(KeyRole.USER, bytes.fromhex(seeds.home))
        self.certificate_file = folder / "server.crt"
        self.key_file = folder / "server.key"

    @property
    def certificate(self) -> str:
        return self._shown or self.certificate_file.read_text()

    def home_jwt(self) -> str:
        return claim(self.account, self.home.public, "home", 1, home_rights())

    def configuration(self, host: str, port: int, withdrawn: dict[str, int]) -> str:
        """The server's, in which keys that were withdrawn are turned away."""
        operator = claim(
            self.operator, self.operator.public, "whimbrel", 1,
            {"type": "operator", "version": 2, "system_account": self.system.public},
        )  # fmt: skip
        system = claim(
            self.operator, self.system.public, "system", 1, {"type": "account", "version": 2, "limits": UNLIMITED}
        )
        rules = {"type": "account", "version": 2, "limits": UNLIMITED, "revocations": withdrawn}
        account = claim(self.operator, self.account.public, "places", 1, rules)
        return f"""server_name: whimbrel
listen: "{host}:{port}"
max_connections: 256
tls {{ cert_file: "{self.certificate_file}", key_file: "{self.key_file}", timeout: 10 }}
operator: {operator}
system_account: {self.system.public}
resolver: MEMORY
resolver_preload: {{
  {self.system.public}: {system}
  {self.account.public}: {account}
}}
"""


def identity_of(folder: Path, own: OwnServer | None = None) -> Identity:
    path = folder / "keys.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _certify(folder)
        seeds = _Seeds(*(os.urandom(32).hex() for _ in range(4)))
        write_private(path, msgspec.json.encode(seeds))
    return Identity(folder, msgspec.json.decode(path.read_bytes(), type=_Seeds), own)


def account_at(reference: str) -> KeyPair:
    kind, _, name = reference.partition(":")
    try:
        text = os.environ[name] if kind == "env" else Path(name).expanduser().read_text("utf-8")
    except (KeyError, OSError, UnicodeDecodeError) as error:
        raise AccountMissing(
            f"[places] account: {reference} cannot be read ({error}); it holds the account's key"
        ) from error
    key = read_seed(text, KeyRole.ACCOUNT)
    if key is None:
        raise AccountMissing(f"[places] account: {reference} holds no key of an account; one begins with SA")
    return key


def _certify(folder: Path) -> None:
    """A certificate for nobody's name: it is known by itself. No clock decides about it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "whimbrel")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime(2000, 1, 1))
        .not_valid_after(datetime.datetime(2100, 1, 1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("whimbrel")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_private(folder / "server.key", private)
    (folder / "server.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
