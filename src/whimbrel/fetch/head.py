"""Reads the head of an answer out of the header lines as they came in."""

from http import HTTPStatus

from msgspec import Struct

BLANK = (b"\r\n", b"\n")
KNOWN: dict[bytes, tuple[str, str]] = {}
"""Most header lines of a site are the same on every page: they are taken apart once."""
KNOWN_LINES = 4096
KNOWN_LINE_BYTES = 200
PHRASES = {status.value: status.phrase for status in HTTPStatus}


class Head(Struct, frozen=True):
    """`text` is what is kept: CRLF line ends, no transfer coding, ends in an empty line. `cut` where the lines end
    before the empty one, or with an interim answer."""

    status: int
    protocol: str
    headers: dict[str, str]
    text: bytes
    transfer_coding: str
    cut: bool = False


def read_head(lines: list[bytes]) -> Head | None:
    """The head of the final answer; None where the lines hold no status line that can be read."""
    cut = False
    if len(lines) < 2 or lines[-1] != b"\r\n" or lines.count(b"\r\n") != 1:
        lines, cut = _final_block(lines)
        if not lines:
            return None
    protocol, _, rest = lines[0].decode("latin-1").partition(" ")
    status = rest.lstrip()[:3]
    if not (len(status) == 3 and status.isascii() and status.isdigit()):
        return None
    headers = _fields(lines)
    coding = headers.pop("transfer-encoding", "")
    if coding:
        lines = _without_transfer_coding(lines)
    text = _crlf(b"".join(lines))
    if not protocol.startswith("HTTP/1"):
        text = _status_line(int(status)) + text[text.index(b"\n") + 1 :]
    return Head(int(status), protocol, headers, text, coding, cut or status[0] == "1")


def _final_block(lines: list[bytes]) -> tuple[list[bytes], bool]:
    """The final head, and whether it is cut. Interim answers stand before it and trailers after it; a head runs to its
    empty line."""
    block: list[bytes] = []
    inside = False
    for line in lines:
        if not inside and line.startswith(b"HTTP/"):
            block, inside = [], True
        if inside:
            block.append(line)
            inside = line not in BLANK
    if inside:
        block.append(b"\r\n")
    return block, inside


def _crlf(text: bytes) -> bytes:
    if text.count(b"\n") == text.count(b"\r\n"):
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _fields(lines: list[bytes]) -> dict[str, str]:
    fields: dict[str, str] = {}
    last = ""
    for line in lines[1:-1]:
        name, value = KNOWN.get(line) or _field(line)
        if not name:
            if value and last:
                fields[last] = f"{fields[last]} {value}".strip()
            continue
        last = name
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def _field(line: bytes) -> tuple[str, str]:
    """A folded line belongs to the field before it (RFC 9112, 5.2): it has a value and no name."""
    text = line.decode("latin-1")
    if text[0] in " \t":
        return "", text.strip()
    name, colon, value = text.partition(":")
    field = (name.strip().lower(), value.strip()) if colon else ("", "")
    if len(line) < KNOWN_LINE_BYTES:
        if len(KNOWN) >= KNOWN_LINES:
            KNOWN.clear()
        KNOWN[line] = field
    return field


def _without_transfer_coding(lines: list[bytes]) -> list[bytes]:
    kept: list[bytes] = []
    dropping = False
    for line in lines:
        if line[:1] not in (b" ", b"\t"):
            dropping = line.partition(b":")[0].strip().lower() == b"transfer-encoding"
        if not dropping:
            kept.append(line)
    return kept


def _status_line(status: int) -> bytes:
    """A multiplexed protocol has no status line; archives expect one."""
    return f"HTTP/1.1 {status} {PHRASES.get(status, '')}\r\n".encode("ascii")
