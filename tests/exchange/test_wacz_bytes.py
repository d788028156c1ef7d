"""The bytes of a WACZ: what its directory says of a file, the header before the file says too."""

import struct
import subprocess
import zipfile
import zlib
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import NamedTuple

import pytest

from grown_folder import grow, small_world
from whimbrel.exchange import packages
from whimbrel.exchange.export import ExportWanted, export
from whimbrel.repository.embedded.reader import Reader

LOCAL = struct.Struct("<4s5H3I2H")  # APPNOTE.TXT 4.3.7
ZIP64_FIELD = 1
SIZE_IN_FIELD = 0xFFFFFFFF


class Header(NamedTuple):
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    name: str
    extra: bytes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wacz") / "folder"
    grow(path, small_world())
    return path


def written(folder: Path) -> bytes:
    out = BytesIO()
    with Reader(folder) as reader:
        export("wacz", reader, ExportWanted(at=1_800_000_000.0), out)
    return out.getvalue()


def local_header(data: bytes, at: int) -> tuple[Header, int]:
    """The header that stands there, and where its file begins."""
    magic, _, flags, method, _, _, crc, packed, size, name_length, extra_length = LOCAL.unpack_from(data, at)
    assert magic == b"PK\x03\x04"
    name_at = at + LOCAL.size
    extra_at = name_at + name_length
    begins = extra_at + extra_length
    return Header(flags, method, crc, packed, size, data[name_at:extra_at].decode(), data[extra_at:begins]), begins


def streamed(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Files as a reader finds them that never sees the directory at the end."""
    at = 0
    while data[at : at + 4] == b"PK\x03\x04":
        header, begins = local_header(data, at)
        assert not header.flags & 8, "the sizes stand before the file, not behind it"
        packed = header.packed
        if packed == SIZE_IN_FIELD:
            field, length, _, packed = struct.unpack_from("<HHQQ", header.extra)
            assert (field, length) == (ZIP64_FIELD, 16)
        content = data[begins : begins + packed]
        yield header.name, content if header.method == zipfile.ZIP_STORED else zlib.decompress(content, wbits=-15)
        at = begins + packed


def test_every_file_has_the_same_header_twice(folder: Path) -> None:
    data = written(folder)
    for info in zipfile.ZipFile(BytesIO(data)).infolist():
        header, _ = local_header(data, info.header_offset)
        sizes = (info.flag_bits, info.compress_type, info.CRC, info.compress_size, info.file_size)
        assert header == Header(*sizes, info.filename, info.extra)
        assert header.extra == b""


def test_readers_of_every_kind_find_the_same_files(folder: Path, tmp_path: Path) -> None:
    data = written(folder)
    by_directory = {
        name: zipfile.ZipFile(BytesIO(data)).read(name) for name in zipfile.ZipFile(BytesIO(data)).namelist()
    }
    assert dict(streamed(data)) == by_directory
    if (unzip := which("unzip")) is None:
        pytest.skip("unzip is not installed")
    path = tmp_path / "file.wacz"
    path.write_bytes(data)
    tested = subprocess.run([unzip, "-t", str(path)], capture_output=True, text=True, check=False)
    assert "No errors detected" in tested.stdout


def test_a_file_that_outgrows_its_header_gets_a_larger_one_in_both_places(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(folder)
    for place in ((packages, "LARGEST_PLAIN_BYTES"), (zipfile, "ZIP64_LIMIT")):
        monkeypatch.setattr(*place, 3_000)
    data = written(folder)
    package = zipfile.ZipFile(BytesIO(data))
    large = [info for info in package.infolist() if info.file_size > 3_000]
    assert "archive/data.warc.gz" in [info.filename for info in large]
    for info in package.infolist():
        header, _ = local_header(data, info.header_offset)
        assert bool(header.extra) <= bool(info.extra), info.filename
        assert bool(header.extra) == (info in large), info.filename
    assert dict(streamed(data)).keys() == dict(streamed(whole)).keys()
    digests = {name: sha256(content).digest() for name, content in streamed(data) if name != "archive/data.warc.gz"}
    assert all(digests[name] == sha256(package.read(name)).digest() for name in digests)
