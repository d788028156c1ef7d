"""A DokuWiki as Debian packages it, with articles from Python's manual."""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers import free_port, php

PROGRAM = Path("/usr/share/dokuwiki")
NEEDS = (
    "/usr/share/dokuwiki/doku.php",
    "/usr/bin/php",
    "/usr/share/doc/python3-doc/html/_sources/library/os.rst.txt",
)
_MANUAL = Path("/usr/share/doc/python3-doc/html/_sources/library")
_KEPT = ("attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta", "pages", "tmp")


@contextmanager
def dokuwiki(folder: Path, pages: int = 40, member: tuple[str, str] | None = None) -> Iterator[str]:
    """Articles link to the next two, every fifth to one that nobody wrote; nobody has to log in, but where a member is
    named with their password: then nobody else reads anything."""
    program, settings, data = folder / "program", folder / "conf", folder / "data"
    shutil.copytree(PROGRAM, program, symlinks=True)
    shutil.copytree("/etc/dokuwiki", settings, symlinks=True)
    for name in _KEPT:
        (data / name).mkdir(parents=True)
    (program / "inc/preload.php").unlink(missing_ok=True)
    (program / "inc/preload.php").write_text(f"<?php\ndefine('DOKU_CONF', '{settings}/');\n")
    (settings / "local.php").unlink(missing_ok=True)
    (settings / "local.php").write_text(
        f"<?php\n$conf['title'] = 'Modules';\n$conf['savedir'] = '{data}';\n"
        f"$conf['useacl'] = {int(member is not None)};\n"
        "$conf['indexdelay'] = 0;\n"  # pages are not to be found for five days otherwise
    )
    if member is not None:
        name, password = member
        proof = hashlib.sha1(password.encode()).hexdigest()  # one of the forms that it knows by their length
        for file in ("users.auth.php", "acl.auth.php"):
            (settings / file).unlink(missing_ok=True)
        (settings / "users.auth.php").write_text(f"{name}:{proof}:Ada:ada@example.org:user\n")
        (settings / "acl.auth.php").write_text("*\t@ALL\t0\n*\t@user\t1\n")
    sources = sorted(path for path in _MANUAL.glob("[a-z]*.rst.txt") if path.stat().st_size < 40_000)[:pages]
    titles = [path.name.removesuffix(".rst.txt") for path in sources]
    for number, (title, path) in enumerate(zip(titles, sources, strict=True)):
        near = [titles[(number + step) % len(titles)] for step in (1, 2)]
        near += [f"unwritten{number}"] if number % 5 == 0 else []
        links = " and ".join(f"[[{one}]]" for one in near)
        words = path.read_text(encoding="utf-8")[:4000]
        text = f"====== {title} ======\n\nSee {links}.\n\n===== Text =====\n<code>\n{words}\n</code>\n"
        (data / f"pages/{title}.txt").write_text(text, encoding="utf-8")
    start = "====== Modules ======\n\n" + "\n".join(f"  * [[{title}]]" for title in titles) + "\n"
    (data / "pages/start.txt").write_text(start, encoding="utf-8")
    with php(program, free_port(), folder / "php.log") as url:
        yield f"{url}doku.php"
