"""Zip archives looked over before a library unpacks them: how much there is, and whether it can explode."""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Set
from functools import partial
from html import unescape
from urllib.parse import unquote

from whimbrel.documents import kinds
from whimbrel.documents.contract import DocumentLimits, Unreadable

SMALL_ARCHIVE_BYTES = 16 << 20
_ENCRYPTED_FLAG = 1
_ENTITY = tuple("<!ENTITY".encode(codec) for codec in ("utf-8", "utf-16-le", "utf-16-be"))
# In a file of relationships (ECMA-376, part 2, §9.3): one reference, whatever prefix its name has.
_REFERENCE = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*?(?:/>|>\s*</(?:\w+:)?Relationship\s*>)", re.DOTALL)
_TARGET = re.compile(rb"""\sTarget\s*=\s*(["'])(.*?)\1""", re.DOTALL)
_EXTERNAL = re.compile(rb"""\sTargetMode\s*=\s*["']External["']""")
_ENCRYPTED = b"encryption-data"  # OpenDocument 1.2, part 3, §4.8


def examined(called: str, body: bytes, limits: DocumentLimits) -> str | Unreadable:
    """The kind of document that the archive holds, where it may be unpacked.

    Python's zipfile stops at the size that the directory states, so that nothing unpacks to more than is checked.
    """
    if not kinds.is_zip(body):
        return _no_archive(called, body)
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return _oversize(archive.infolist(), limits) or _locked_or_explosive(archive) or _own_kind(called, archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError):
        return Unreadable("damaged", "a zip archive that is cut off or damaged")


def mended(body: bytes) -> bytes:
    """The archive without references to parts that it does not hold: a theme or a thumbnail that a program left out is
    nothing that a reader of words would miss, and the libraries insist on every part that is named."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        names = set(archive.namelist())
        files = {name: archive.read(name) for name in names if name.endswith(".rels")}
        whole = {name: _REFERENCE.sub(partial(_held, name, names), xml) for name, xml in files.items()}
        if whole == files:
            return body
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as copy:
            for name in archive.namelist():
                copy.writestr(name, whole[name] if name in whole else archive.read(name))
    return out.getvalue()


def _held(name: str, names: Set[str], reference: re.Match[bytes]) -> bytes:
    """The reference, where it leads out of the archive or to something in it; else nothing."""
    target = _TARGET.search(reference[0])
    if target is None or _EXTERNAL.search(reference[0]):
        return reference[0]
    folder = posixpath.dirname(posixpath.dirname(name))
    path = posixpath.normpath(posixpath.join("/", folder, unescape(target[2].decode("utf-8", "replace"))))
    return reference[0] if path.lstrip("/") in names or unquote(path).lstrip("/") in names else b""


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


def _locked_or_explosive(archive: zipfile.ZipFile) -> Unreadable | None:
    if any(member.flag_bits & _ENCRYPTED_FLAG for member in archive.infolist()):
        return Unreadable("encrypted", "an archive that needs a password")
    if _ENCRYPTED in _member(archive, "META-INF/manifest.xml"):
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
