"""What generators are given to render: Debian's packages, as dpkg knows them."""

import random
import re
from email.utils import parseaddr
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.machine import MissingTool

STATUS = Path("/var/lib/dpkg/status")
_NAME = re.compile(r"[a-z][a-z0-9]{2,20}")
_MAINTAINER = re.compile(r"[A-Za-z][A-Za-z .'-]+")


class PackageRecord(Struct, frozen=True):
    """`homepage` is "" for packages that have none; `about` is what its description says below its first line."""

    package: str
    version: str
    section: str
    maintainer: str
    email: str
    size: str
    homepage: str
    summary: str
    about: str


def records(count: int, seed: int) -> list[PackageRecord]:
    """So many packages, by chance. Names that no programming language takes for a class are left out, and so are
    those who write their names in a way that some generator takes for markup."""
    if not STATUS.exists():
        raise MissingTool(f"{STATUS} is not here: the records are those of Debian's package manager.")
    found = [_record(text) for text in STATUS.read_text(errors="replace").split("\n\n")]
    usable = sorted((one for one in found if one is not None), key=lambda one: one.package)
    if len(usable) < count:
        raise MissingTool(f"only {len(usable)} packages here can be rendered, {count} were asked for.")
    return sorted(random.Random(seed).sample(usable, count), key=lambda one: one.package)


def _record(text: str) -> PackageRecord | None:
    fields: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line[:1].isspace():
            lines.append(line.strip())
        else:
            name, _, value = line.partition(":")
            lines = fields.setdefault(name, [value.strip()])
    summary, *about = fields.get("Description", [""])
    name, email = parseaddr(fields.get("Maintainer", [""])[0])
    record = PackageRecord(
        package=fields.get("Package", [""])[0],
        version=fields.get("Version", [""])[0],
        section=fields.get("Section", [""])[0],
        maintainer=name,
        email=email,
        size=fields.get("Installed-Size", [""])[0],
        homepage=fields.get("Homepage", [""])[0],
        summary=_plain(summary),
        about=_plain(" ".join(line for line in about if line != ".")),
    )
    whole = all((record.version, record.section, email, record.size, record.summary, record.about))
    usable = whole and _NAME.fullmatch(record.package) and _MAINTAINER.fullmatch(name)
    return record if usable and not set("_~*") & set(record.homepage) else None


def _plain(text: str) -> str:
    """Without the signs that are markup in one of a dozen languages."""
    return " ".join(re.sub(r"[^\w ,.()/'-]", " ", text).replace("_", " ").replace("--", " ").split())
