"""Zip archives looked over before a library unpacks them: how much there is, and whether it can explode."""

import io
import zipfile
import zlib

from whimbrel.documents import kinds
from whimbrel.documents.contract import DocumentLimits, Unreadable

SMALL_ARCHIVE_BYTES = 16 << 20
_ENCRYPTED_FLAG = 1
_ENTITY = tuple("<!ENTITY".encode(codec) for codec in ("utf-8", "utf-16-le", "utf-16-be"))
_SEALED = b"encryption-data"  # OpenDocument 1.2, part 3, §4.8


def examined(called: str, body: bytes, limits: DocumentLimits) -> str | Unreadable:
    """The kind of document that the archive holds, where it may be unpacked.

    Python's zipfile stops at the size that the directory states, so that nothing unpacks to more than is checked.
    """
    if not kinds.is_zip(body):
        return _no_archive(called, body)
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return _oversize(archive.infolist(), limits) or _sealed_or_explosive(archive) or _own_kind(called, archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        return Unreadable("damaged", f"a broken zip archive: {error}")


def declares_entities(xml: bytes) -> bool:
    """Entities can multiply without bound, and none of the formats needs them."""
    return any(mark in xml for mark in _ENTITY)


def _no_archive(called: str, body: bytes) -> Unreadable:
    what = "HTML" if kinds.looks_like_html(body[: kinds.SNIFFED_BYTES]) else "no zip archive"
    return Unreadable("mislabelled", f"called {kinds.NAMES[called]}, but {what}")


def _oversize(members: list[zipfile.ZipInfo], limits: DocumentLimits) -> Unreadable | None:
    if len(members) > limits.members:
        return Unreadable("too_large", f"{len(members)} files in one archive; {limits.members} are read")
    unpacked = sum(member.file_size for member in members)
    if unpacked > limits.unpacked_bytes:
        return Unreadable("too_large", f"{unpacked} bytes when unpacked; {limits.unpacked_bytes} are read")
    packed = sum(member.compress_size for member in members)
    if unpacked > max(SMALL_ARCHIVE_BYTES, limits.unpacked_ratio * packed):
        return Unreadable("too_large", f"unpacks to {unpacked // max(1, packed)} times its size, like a zip bomb")
    return None


def _sealed_or_explosive(archive: zipfile.ZipFile) -> Unreadable | None:
    if any(member.flag_bits & _ENCRYPTED_FLAG for member in archive.infolist()):
        return Unreadable("encrypted", "an archive that needs a password")
    if _SEALED in _member(archive, "META-INF/manifest.xml"):
        return Unreadable("encrypted", "an OpenDocument file that needs a password")
    for name in archive.namelist():
        if name.lower().endswith((".xml", ".rels")) and declares_entities(archive.read(name)):
            return Unreadable("unsupported", f"{name} declares XML entities, which can multiply without bound")
    return None


def _own_kind(called: str, archive: zipfile.ZipFile) -> str | Unreadable:
    own = kinds.kind_of_members(archive.namelist(), _member(archive, "mimetype").decode("ascii", "replace"))
    return own or Unreadable("mislabelled", f"called {kinds.NAMES[called]}, but some other zip archive")


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    return archive.read(name) if name in archive.NameToInfo else b""
