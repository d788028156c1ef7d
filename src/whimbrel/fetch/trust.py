"""Whose certificates count: the system's, and beside them those that the user names."""

import os
import ssl
from functools import cache
from pathlib import Path


def trusted(ca_file: str) -> tuple[str, str]:
    """A file of certificates and a directory of them, "" where there is none. A directory keeps curl from caching what
    it has loaded (CURLOPT_CA_CACHE_TIMEOUT), so it is named only where the system has no file."""
    system = ssl.get_default_verify_paths()
    if not ca_file:
        return system.cafile or "", "" if system.cafile else system.capath or ""
    if not system.cafile:
        return ca_file, system.capath or ""
    return _both(system.cafile, ca_file), ""


@cache
def _both(system: str, ours: str) -> str:
    """curl takes one file: this one is in memory only, and lasts as long as the process."""
    try:
        texts = [Path(file).read_bytes() for file in (system, ours)]
        held = os.memfd_create("certificates")
        with os.fdopen(os.dup(held), "wb") as file:
            file.write(b"\n".join(texts))
    except OSError:
        return ours  # curl says what is wrong with it
    return f"/proc/self/fd/{held}"
