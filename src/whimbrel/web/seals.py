"""The folder's key, and what is sealed with it: sessions, form tokens, addresses of kept copies.

The key is made when a folder is first shown and lies in it, readable by its owner alone. Nothing is remembered
between two requests: whoever can show a seal was given it by a server of this folder.
"""

import hmac
import os
import secrets
from pathlib import Path

KEY_FILE = "serve.key"
SESSION_SECONDS = 30 * 24 * 3600
_SEAL_DIGITS = 40


def read_key(folder: Path) -> tuple[str, bool]:
    """The folder's key, and whether it was made just now."""
    file = folder / KEY_FILE
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text("ascii").strip(), False
    key = secrets.token_urlsafe(24)
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        written.write(key + "\n")
    return key, True


class Seals:
    """Makes and checks seals. Every comparison takes the same time, wherever two texts begin to differ."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def seal(self, purpose: str, *parts: str) -> str:
        """Lengths go into it, so that no two lists of parts read alike."""
        message = "\0".join((purpose, *(f"{len(part)}:{part}" for part in parts)))
        return hmac.digest(self._key, message.encode("utf-8", "surrogatepass"), "sha256").hex()[:_SEAL_DIGITS]

    def holds(self, given: str, purpose: str, *parts: str) -> bool:
        return same(given, self.seal(purpose, *parts))

    def is_key(self, given: str) -> bool:
        return same(given.strip(), self._key.decode())

    # A visit is a cookie: `id.expires.seal`. The seal of one who showed the key differs from a passer-by's.

    def new_visit(self, *, trusted: bool, now: float) -> str:
        name, expires = secrets.token_urlsafe(16), str(int(now) + SESSION_SECONDS)
        return f"{name}.{expires}.{self.seal(_kind(trusted), name, expires)}"

    def visitor(self, cookie: str, *, trusted: bool, now: float) -> str:
        """The visit's id, "" where the cookie is not ours, has run out or does not suffice."""
        name, _, rest = cookie.partition(".")
        expires, _, seal = rest.partition(".")
        if not (expires.isascii() and expires.isdigit()) or len(expires) > 12 or int(expires) < now:
            return ""
        kinds = (True,) if trusted else (True, False)
        return name if any(self.holds(seal, _kind(kind), name, expires) for kind in kinds) else ""

    def form_token(self, visitor: str) -> str:
        return self.seal("form", visitor)


def same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8", "surrogatepass"))


def _kind(trusted: bool) -> str:
    return "trusted" if trusted else "visit"
