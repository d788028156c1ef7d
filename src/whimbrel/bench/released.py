"""Sites in two point releases, from the pools of Debian's packages of documentation.

Between two releases of a manual nearly every page differs in bytes (version, date, marks of the build) and few in what
they say. What a page says is fixed here once for each site: the text of its own content element.
"""

import os
import shutil
import subprocess
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.bench.machine import MissingTool, Say
from whimbrel.parse.document import tree_of

PATIENCE_SECONDS = 300.0
_SPHINX = "div.body,[role=main]"
_DOCBOOK = ("div.navheader", "div.navfooter")


class ReleasedPackage(Struct, frozen=True):
    """`content` selects the content element, `without` what in it is navigation. The rules of `whimbrel.change` were
    tried on sites that are not `held_out` while they were made."""

    package: str
    content: str
    without: tuple[str, ...] = ()
    held_out: bool = True


SOURCES = (
    ReleasedPackage("linux-doc-6.12", _SPHINX, held_out=False),
    ReleasedPackage("postgresql-doc-15", "body", _DOCBOOK, held_out=False),
    ReleasedPackage("python3.11-doc", _SPHINX, held_out=False),
    ReleasedPackage("dpdk-doc", "div.contents,[role=main]", held_out=False),
    ReleasedPackage("libzookeeper-java-doc", "main", held_out=False),
    ReleasedPackage("erlang-doc", "#content", ("div.footer",), held_out=False),
    ReleasedPackage("tomcat10-docs", "#content", held_out=False),
    ReleasedPackage("wireshark-doc", "body", _DOCBOOK, held_out=False),
    ReleasedPackage("openjdk-17-doc", "main"),
    ReleasedPackage("keystone-doc", "div.docs-body"),
    ReleasedPackage("nova-doc", "div.docs-body"),
    ReleasedPackage("octavia-doc", "div.docs-body"),
    ReleasedPackage("python-django-doc", "#yui-main"),
    ReleasedPackage("python-pymatgen-doc", "[role=main]"),
    ReleasedPackage("python-urwid-doc", "div.body"),
    ReleasedPackage("python-asyncssh-doc", "div.body"),
    ReleasedPackage("bind9-doc", "[role=main]"),
    ReleasedPackage("libssh-doc", "div.contents"),
    ReleasedPackage("libaom-doc", "div.contents"),
)


class Released(Struct, frozen=True):
    """Two releases in folders. `scripted`: the newer one was made from the older by `rewrite`."""

    source: ReleasedPackage
    versions: tuple[str, str]
    old: Path
    new: Path
    scripted: bool = False

    def pages(self) -> list[str]:
        """The paths of pages in both."""
        return sorted(
            str(path.relative_to(self.old))
            for path in self.old.rglob("*.html")
            if path.is_file() and not path.is_symlink() and (self.new / path.relative_to(self.old)).is_file()
        )


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "whimbrel" / "bench"


def releases(source: ReleasedPackage, cache: Path, say: Say) -> Released:
    """The oldest and the newest version that the pools offer."""
    versions = versions_of(source.package)
    if len(versions) < 2:
        raise MissingTool(f"the package pools offer no two versions of {source.package}; run: apt-get update")
    oldest, newest = versions[0], versions[-1]
    folders = [_unpacked(source.package, version, cache, say) for version in (oldest, newest)]
    return Released(source, (oldest, newest), folders[0], folders[1])


def newest(package: str, cache: Path, say: Say) -> Path:
    """The newest version that the pools offer, unpacked."""
    versions = versions_of(package)
    if not versions:
        raise MissingTool(f"the package pools offer no {package}; run: apt-get update")
    return _unpacked(package, versions[-1], cache, say)


def versions_of(package: str) -> list[str]:
    """What the pools offer, the oldest first."""
    if shutil.which("apt-cache") is None:
        return []
    said = _said("apt-cache", "madison", package)
    found = {parts[1].strip() for line in said.splitlines() if len(parts := line.split("|")) == 3}
    ordered: list[str] = []
    for version in found:
        place = next((n for n, other in enumerate(ordered) if _is_older(version, other)), len(ordered))
        ordered.insert(place, version)
    return ordered


def _is_older(version: str, other: str) -> bool:
    return subprocess.run(["dpkg", "--compare-versions", version, "lt", other], check=False).returncode == 0


def _unpacked(package: str, version: str, cache: Path, say: Say) -> Path:
    folder = cache / f"{package}_{version.replace(':', '%3a')}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    say(f"fetching {package} {version} into {cache}")
    loading = cache / f"{folder.name}.loading"
    shutil.rmtree(loading, ignore_errors=True)
    loading.mkdir()
    try:
        _said("apt-get", "-qq", "download", f"{package}={version}", folder=loading)
        archive = next(loading.glob("*.deb"), None)
        if archive is None:
            raise MissingTool(
                f"{package} {version} cannot be had; try: apt-get update && apt-get download {package}={version}"
            )
        _said("dpkg-deb", "-x", str(archive), str(loading / "site"))
        (loading / "site").rename(folder)
    finally:
        shutil.rmtree(loading, ignore_errors=True)
    return folder


def _said(*command: str, folder: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingTool(f"{command[0]} did not answer: {error}") from error
    return done.stdout


def text_of(body: bytes, source: ReleasedPackage) -> str | None:
    """What a reader of the content element reads, white space normalised; None where the page has no such element."""
    document, _ = tree_of(body, "text/html")
    document.remove("script,style,template")
    element = document.select_one(source.content)
    if element is None:
        return None
    for selector in source.without:
        for part in element.select(selector):
            part.extract()
    return " ".join(element.text.split())


def rewritten(source: ReleasedPackage, site: Path, folder: Path, seed: int = 4) -> Released:
    """A newer release made by script where none can be had: another build, another date, another menu on every page.

    Only what stands outside the content element is touched.
    """
    chance = Random(seed)
    build = f"{chance.getrandbits(40):010x}"
    menu = b'<nav><ul><li><a href="/news.html">News</a></ul></nav>'
    for path in site.rglob("*.html"):
        if not path.is_file() or path.is_symlink():
            continue
        body = path.read_bytes()
        head = body.lower().find(b"</head>")
        end = body.lower().rfind(b"</body>")
        if head < 0 or end < 0:
            continue
        mark = f'<meta name="build" content="{build}-{chance.getrandbits(32):08x}">'.encode()
        foot = f"<footer>Generated on 17 May 2027 at {chance.randrange(24):02}:07:31, build {build}</footer>".encode()
        target = folder / path.relative_to(site)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body[:head] + mark + body[head:end] + menu + foot + body[end:])
    return Released(source, ("installed", "rewritten by script"), site, folder, scripted=True)
