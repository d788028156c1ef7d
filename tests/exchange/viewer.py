"""ReplayWeb.page, the viewer that people open a WACZ with: its published package, served on loopback beside an archive.

The package is one file with all that a browser loads, so nothing that it depends on is installed. It is taken from npm
by version, and only with the digest that stands here.
"""

import subprocess
import tarfile
from base64 import b64encode
from hashlib import sha512
from pathlib import Path
from shutil import which

import pytest

from whimbrel.testing.reply import Page, Reply, Request

PACKAGE = "replaywebpage@2.5.3"
INTEGRITY = "sha512-nCj2PSON3BxeSJKE8AsYPyULv0XPZKJWfy4l9PyQre9SqwLZ+WKZVs/sfLqPOQ4GrH+0YkjbwOhr8cSTH08gsQ=="
NEEDED = ("package/ui.js", "package/sw.js")


def fetched(folder: Path) -> dict[str, bytes]:
    """`ui.js` and `sw.js`; the test is skipped where there is no npm."""
    npm = which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    said = subprocess.run([npm, "pack", PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
    if said.returncode:
        pytest.skip(f"npm could not get {PACKAGE}: {said.stderr.strip()[-200:]}")
    (archive,) = folder.glob("*.tgz")
    assert "sha512-" + b64encode(sha512(archive.read_bytes()).digest()).decode() == INTEGRITY
    with tarfile.open(archive) as package:
        files = {name: package.extractfile(name) for name in NEEDED}
        return {name.rpartition("/")[2]: stream.read() for name, stream in files.items() if stream is not None}


def pages(files: dict[str, bytes], archive: bytes, url: str) -> dict[str, Page]:
    """What the server answers: a page that shows `url` out of the archive, embedded as the viewer's guide says."""
    shown = f'<replay-web-page source="/kept.wacz" url="{url}" replayBase="/replay/"></replay-web-page>'
    script = "text/javascript"
    interface, worker = (Reply(files[name], content_type=script) for name in ("ui.js", "sw.js"))
    return {
        "/": Reply(f"<!doctype html><title>Viewer</title><script src=/ui.js></script>{shown}".encode()),
        **dict.fromkeys(("/ui.js", "/replay/ui.js"), interface),
        **dict.fromkeys(("/replay/sw.js", "/replay/sw.js?serveIndex=1"), worker),
        "/kept.wacz": lambda request: _part(archive, request),
    }


def _part(archive: bytes, request: Request) -> Reply:
    """Parts of the file, as servers give them: the viewer looks at the directory first, then at single records."""
    asked = {name.lower(): value for name, value in request.headers.items()}.get("range", "")
    if not asked.startswith("bytes="):
        return Reply(archive, content_type="application/wacz", headers=(("Accept-Ranges", "bytes"),))
    first, _, last = asked.removeprefix("bytes=").partition("-")
    start = int(first) if first else max(0, len(archive) - int(last))
    end = min(int(last), len(archive) - 1) if first and last else len(archive) - 1
    place = ("Content-Range", f"bytes {start}-{end}/{len(archive)}")
    return Reply(archive[start : end + 1], 206, (place, ("Accept-Ranges", "bytes")), "application/wacz")
