"""Undoes content codings while the body arrives, and stops when it grows too large."""

from __future__ import annotations

from typing import Any

from isal import isal_zlib

from whimbrel.records.response import Failure, FailureKind

CODINGS = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd"})
DEFLATE_ERROR: Any = isal_zlib.error
STEP_BYTES = 1 << 20
LARGEST_KEPT_BYTES = 1 << 30
"""Of a kept copy, unpacked. It was within the crawl's own cap once: this one stops a damaged archive."""
ZSTD_SLICE_BYTES = 1 << 10
"""Four bytes of zstd can stand for a 128 KiB block: small slices keep one step's growth within reason."""
ZSTD_WINDOW_BYTES = 8 << 20
"""The window a client has to support, and the most it should (RFC 9659)."""


class TooLarge(Exception):
    pass


class BrokenCoding(Exception):
    pass


class Decoder:
    """Takes chunks, gives the decoded body. `cap` bounds the output of every coding in the chain."""

    __slots__ = ("_cap", "_out", "_sizes", "_stages", "codings")

    def __init__(self, codings: tuple[str, ...], cap: int) -> None:
        self.codings = codings
        self._cap = cap
        self._stages = [STAGES[coding]() for coding in reversed(codings)]
        self._sizes = [0] * len(codings)
        self._out: list[bytes] = []

    def feed(self, chunk: bytes) -> Failure | None:
        try:
            for number, stage in enumerate(self._stages):
                chunk = stage.feed(chunk, self._cap - self._sizes[number])
                self._sizes[number] += len(chunk)
                if not chunk:
                    return None
        except TooLarge:
            return Failure(FailureKind.TOO_LARGE, f"the decoded body is larger than {self._cap} bytes")
        except BrokenCoding as broken:
            return self._broken(str(broken))
        self._out.append(chunk)
        return None

    @property
    def complete(self) -> bool:
        """Whether the codings themselves say that nothing is missing: they mark their end."""
        return bool(self._out) and all(stage.finished() for stage in self._stages)

    def finish(self) -> bytes | Failure:
        if not all(stage.finished() for stage in self._stages):
            return Failure(FailureKind.CUT, f"the {', '.join(self.codings)} body ends too early")
        return self._out[0] if len(self._out) == 1 else b"".join(self._out)

    def _broken(self, why: str) -> Failure:
        return Failure(FailureKind.ENCODING, f"the body is not good {', '.join(self.codings)}: {why}")


def plain(content_encoding: str, payload: bytes, cap: int = LARGEST_KEPT_BYTES) -> bytes | Failure:
    """A whole body with its content coding undone; one that has none is given as it is, however large."""
    decoder = decoder_for(content_encoding, cap)
    return payload if decoder is None else decoder.feed(payload) or decoder.finish()


def decoder_for(content_encoding: str, cap: int) -> Decoder | None:
    """None where there is nothing to undo, or a coding nobody knows: then the body stays as it is."""
    names = (name.strip() for name in content_encoding.lower().split(","))
    codings = tuple(name for name in names if name and name != "identity")
    if not codings or not CODINGS.issuperset(codings) or len(codings) > 4:
        return None
    return Decoder(codings, cap)


class Deflated:
    """gzip with any number of members, zlib, and the raw deflate some servers send under that name."""

    __slots__ = ("_ended", "_gzip", "_object", "_pending", "_started")

    def __init__(self, gzip: bool) -> None:
        self._gzip = gzip
        self._object: Any = isal_zlib.decompressobj(wbits=31) if gzip else None
        self._pending = b""
        self._started = False
        self._ended = False

    def feed(self, data: bytes, room: int) -> bytes:
        if self._ended:
            return b""
        self._started = True
        if self._object is None:
            data = self._pending + data
            if len(data) < 2:
                self._pending = data
                return b""
            self._object = isal_zlib.decompressobj(wbits=15 if _is_zlib(data) else -15)
        parts: list[bytes] = []
        try:
            while data and not self._ended:
                part, data = self._step(data, room)
                room -= len(part)
                parts.append(part)
        except DEFLATE_ERROR as error:
            raise BrokenCoding(str(error)) from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _step(self, data: bytes, room: int) -> tuple[bytes, bytes]:
        part: bytes = self._object.decompress(data, min(room + 1, STEP_BYTES))
        if len(part) > room:
            raise TooLarge
        if not self._object.eof:
            return part, self._object.unconsumed_tail
        rest: bytes = self._object.unused_data
        if self._gzip and rest[:2] == b"\x1f\x8b":
            self._object = isal_zlib.decompressobj(wbits=31)
            return part, rest
        self._ended = True  # browsers, too, ignore what stands behind the end
        return part, b""

    def finished(self) -> bool:
        return self._ended or not self._started


def _is_zlib(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0


class Brotli:
    __slots__ = ("_error", "_object", "_started")

    def __init__(self) -> None:
        import brotli

        self._object: Any = brotli.Decompressor()
        self._error: type[Exception] = brotli.error
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        self._started = True
        parts: list[bytes] = []
        try:
            while True:
                if self._object.is_finished():
                    break
                part = self._object.process(data, output_buffer_limit=min(room + 1, STEP_BYTES))
                data = b""
                if len(part) > room:
                    raise TooLarge
                room -= len(part)
                parts.append(part)
                if self._object.can_accept_more_data():
                    break
        except self._error as error:
            raise BrokenCoding(str(error)) from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def finished(self) -> bool:
        return not self._started or bool(self._object.is_finished())


class Zstd:
    __slots__ = ("_error", "_factory", "_object", "_started")

    def __init__(self) -> None:
        import zstandard

        self._factory = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
        self._object: Any = self._factory.decompressobj()
        self._error: type[Exception] = zstandard.ZstdError
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        parts: list[bytes] = []
        try:
            for start in range(0, len(data), ZSTD_SLICE_BYTES):
                rest = data[start : start + ZSTD_SLICE_BYTES]
                while rest:
                    if self._object.eof:
                        self._object = self._factory.decompressobj()
                    self._started = True
                    part = self._object.decompress(rest)
                    if len(part) > room:
                        raise TooLarge
                    room -= len(part)
                    parts.append(part)
                    rest = self._object.unused_data if self._object.eof else b""
        except self._error as error:
            raise BrokenCoding(str(error)) from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def finished(self) -> bool:
        return not self._started or bool(self._object.eof)


STAGES: dict[str, Any] = {
    "gzip": lambda: Deflated(gzip=True),
    "x-gzip": lambda: Deflated(gzip=True),
    "deflate": lambda: Deflated(gzip=False),
    "br": Brotli,
    "zstd": Zstd,
}
