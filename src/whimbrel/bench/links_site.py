"""A manual with bad links planted in it, served with all that can be wrong with an address; and beside it two programs
that answer 200 to whatever they are asked: a wiki, and a server that shows its start page."""

import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from msgspec import Struct

from whimbrel.bench.machine import MissingTool
from whimbrel.testing.reply import Reply, redirect
from whimbrel.testing.web import TinyWeb

WIKI = Path("/usr/share/dokuwiki")
START_SECONDS = 60.0
COUNTS = {"404": 60, "410": 40, "moved": 60, "time-out": 20, "wiki": 30, "start page": 30, "fragment": 60}
KIND_OF = {
    "404": "missing", "410": "missing", "moved": "moved", "time-out": "unreachable", "wiki": "soft",
    "start page": "soft", "fragment": "fragment",
}  # fmt: skip
BESIDE = 15
"""Pages of the manual that the second server has."""
HARMLESS = 10
"""Links of each kind that is in order: a redirect for the time being, a refusal, a place in other words."""


class PlantedLink(Struct, frozen=True):
    """`way` is one of `COUNTS`, "" where it is in order; `pages` hold it."""

    url: str
    way: str
    pages: frozenset[str]


class PlantedSite(Struct, frozen=True):
    seeds: list[str]
    links: list[PlantedLink]
    pages: dict[str, bytes]
    """What was served of the manual, by URL."""


@contextmanager
def planted(manual: Path, most_pages: int, seed: int, work: Path) -> Iterator[PlantedSite]:
    chance = random.Random(seed)
    files = _files(manual, most_pages)
    with ExitStack() as stack:
        wiki = stack.enter_context(_wiki(work / "wiki", sorted(files)[:20]))
        fallback = stack.enter_context(_fallback(work / "fallback", files))
        slow = stack.enter_context(TinyWeb({}))
        web = stack.enter_context(TinyWeb({}))
        links = _links(chance, sorted(files), web, slow, wiki, fallback)
        pages = {
            path: _with(body, [link for link in links if web.url(path) in link.pages]) for path, body in files.items()
        }
        web.pages |= {path: Reply(body) for path, body in pages.items()}
        for link in links:
            _serve(link, web, slow, chance, sorted(files))
        slow.pages["/"] = Reply(b"<title>Slow</title><p>Some pages of this host never come.</p>")
        seeds = [web.url("/index.html"), slow.url("/"), wiki, fallback]
        beside = {f"{fallback}{path.strip('/')}": files[path] for path in sorted(files)[:BESIDE]}
        yield PlantedSite(seeds, links, beside | {web.url(path): body for path, body in pages.items()})


def _files(manual: Path, most: int) -> dict[str, bytes]:
    """The pages nearest to the first, so that those there are link to each other."""
    chosen = sorted(manual.glob("*.html"), key=lambda path: (path.name != "index.html", path.name))[:most]
    if not chosen or chosen[0].name != "index.html":
        raise MissingTool(f"{manual} holds no index.html. Name a folder of HTML pages with --site.")
    names = {path.name for path in chosen}
    index = "".join(f'<a href="{quote(name)}">{name}</a> ' for name in sorted(names))
    found = {f"/{path.name}": path.read_bytes() for path in chosen}
    found["/index.html"] = found["/index.html"].replace(b"</body>", f"<p>{index}</p></body>".encode())
    return found


def _links(
    chance: random.Random, paths: list[str], web: TinyWeb, slow: TinyWeb, wiki: str, fallback: str
) -> list[PlantedLink]:
    def on() -> frozenset[str]:
        return frozenset(web.url(path) for path in chance.sample(paths, chance.randint(1, 3)))

    made = {
        "404": lambda n: web.url(f"/lost/{n}.html"),
        "410": lambda n: web.url(f"/gone-{n}.html"),
        "moved": lambda n: web.url(f"/old/{n}"),
        "time-out": lambda n: slow.url(f"/never/{n}"),
        "wiki": lambda n: f"{wiki}?id=nobody_wrote_{n}",
        "start page": lambda n: f"{fallback}nothing-{n}",
        "fragment": lambda n: web.url(f"{chance.choice(paths)}#no-place-{n}"),
        "302": lambda n: web.url(f"/for-now/{n}"),
        "403": lambda n: web.url(f"/shut/{n}"),
        "top": lambda n: web.url(f"{chance.choice(paths)}#top"),
        "quoted": lambda n: web.url(f"/places-{n}.html#a%20place"),
    }
    counts = COUNTS | dict.fromkeys(("302", "403", "top", "quoted"), HARMLESS)
    return [
        PlantedLink(made[way](number), way if way in COUNTS else "", on())
        for way, count in counts.items()
        for number in range(count)
    ]


def _serve(link: PlantedLink, web: TinyWeb, slow: TinyWeb, chance: random.Random, paths: list[str]) -> None:
    path = "/" + link.url.split("/", 3)[3]
    match path.split("/")[1].split("-")[0]:
        case "gone":
            web.pages[path] = Reply(b"gone", 410)
        case "old":
            web.pages[path] = redirect(chance.choice(paths), chance.choice((301, 308)))
        case "never":
            slow.pages[path] = Reply(silent=True)
        case "for":
            web.pages[path] = redirect(chance.choice(paths), 302)
        case "shut":
            web.pages[path] = Reply(b"no", 403)
        case "places":
            web.pages[path.partition("#")[0]] = Reply(f'<title>{path}</title><p id="a place">{path} words</p>'.encode())


def _with(body: bytes, links: list[PlantedLink]) -> bytes:
    words = "".join(
        f'<p>See <a href="{link.url}">{link.way or "fine"} {place}</a>.</p>' for place, link in enumerate(links)
    )
    return body.replace(b"</body>", f"{words}</body>".encode(), 1)


@contextmanager
def _wiki(folder: Path, paths: list[str]) -> Iterator[str]:
    """A DokuWiki as Debian packages it; what nobody wrote it answers with 200 and an offer to write it."""
    if not WIKI.is_dir() or shutil.which("php") is None:
        raise MissingTool("the wiki is not installed. On Debian: apt-get install dokuwiki php-cli php-xml")
    program, settings, data = folder / "program", folder / "conf", folder / "data"
    shutil.copytree(WIKI, program, symlinks=True)
    shutil.copytree("/etc/dokuwiki", settings, symlinks=True)
    for name in (
        "attic",
        "cache",
        "index",
        "locks",
        "log",
        "media",
        "media_attic",
        "media_meta",
        "meta",
        "pages",
        "tmp",
    ):
        (data / name).mkdir(parents=True)
    for file, text in (
        (program / "inc/preload.php", f"<?php\ndefine('DOKU_CONF', '{settings}/');\n"),
        (
            settings / "local.php",
            f"<?php\n$conf['savedir'] = '{data}';\n$conf['useacl'] = 0;\n$conf['indexdelay'] = 0;\n",
        ),
    ):
        file.unlink(missing_ok=True)
        file.write_text(text)
    names = [path.strip("/").removesuffix(".html").replace(".", "_").replace("-", "_") for path in paths]
    for name in names:
        (data / f"pages/{name}.txt").write_text(
            f"====== {name} ======\n\nThe article on {name}, " + f"about {name} " * 40
        )
    (data / "pages/start.txt").write_text("====== Start ======\n\n" + "\n".join(f"  * [[{name}]]" for name in names))
    with _php(program) as origin:
        yield f"{origin}doku.php"


@contextmanager
def _fallback(folder: Path, files: dict[str, bytes]) -> Iterator[str]:
    """PHP's own server: what it does not find it answers with 200 and the start page."""
    folder.mkdir(parents=True)
    for path in sorted(files)[:BESIDE]:
        (folder / path.strip("/")).write_bytes(files[path])
    pages = "".join(
        f'<li><a href="{path.strip("/")}">{path}</a>' for path in sorted(files)[:BESIDE] if path != "/index.html"
    )
    (folder / "index.html").write_text(f"<!doctype html><title>Start</title><h1>All there is</h1><ul>{pages}</ul>")
    with _php(folder) as origin:
        yield origin


@contextmanager
def _php(root: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        origin = f"127.0.0.1:{free.getsockname()[1]}"
    command = ["php", "-d", "display_errors=stderr", "-S", origin, "-t", str(root)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _await(f"http://{origin}/", server)
            yield f"http://{origin}/"
        finally:
            server.terminate()


def _await(address: str, server: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            urlopen(address).close()
            return
        except OSError:
            if time.monotonic() > end or server.poll() is not None:
                raise
            time.sleep(0.1)
