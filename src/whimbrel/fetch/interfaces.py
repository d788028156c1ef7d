"""The machine's own addresses, as the kernel lists them."""

import re
from ipaddress import IPv6Address
from pathlib import Path

_LOCAL = re.compile(r"\|-- ([0-9.]+)\n\s+/32 host LOCAL")


def own_addresses(proc: Path = Path("/proc/net")) -> list[str]:
    """Of every interface; none where the kernel does not say."""
    four = _LOCAL.findall(_text(proc / "fib_trie"))
    six = [str(IPv6Address(int(line.split()[0], 16))) for line in _text(proc / "if_inet6").splitlines() if line.strip()]
    return sorted({*four, *six})


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except OSError:
        return ""
