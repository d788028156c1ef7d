"""Which sites `bench migrate` crawls, what is to be reached, and what it reports of bytes over the link."""

from pathlib import Path

from msgspec import Struct

GZIP_LEVEL = 6
GZIP = f"gzip on; gzip_comp_level {GZIP_LEVEL}; gzip_types text/css text/javascript;"
SHARE = 0.20
SEED = 4
MOST = {"openjdk-17-doc": 0.35, "postgresql-doc-15": 0.58}
MOST_CHANGED, MOST_UNCHANGED, MOST_ALIKE = 0.12, 0.02, 0.10
WEEK_SECONDS = 7 * 86_400.0
ROUNDS = (
    ("nothing changed", 0.0, MOST_UNCHANGED),
    ("20 % changed", SHARE, MOST_CHANGED),
    ("nothing changed since", 0.0, MOST_UNCHANGED),
)
"""Refreshes one after the other: how much of the site changed before each, and its goal."""
LATER = "a week later, nothing changed", 0.0, None
"""No goal is set for it."""


class MigrateSite(Struct, frozen=True):
    """A site by its Debian package, its folder, where it begins, and what a narrow crawl wants: pages of the kind of
    `like`, or about `topic`."""

    package: str
    folder: Path
    start: str
    like: str = ""
    topic: str = ""


MANUALS = (
    MigrateSite(
        "openjdk-17-doc", Path("/usr/share/doc/openjdk-17-jre-headless/api"), "index.html",
        "java.base/java/util/package-summary.html",
    ),
    MigrateSite("postgresql-doc-15", Path("/usr/share/doc/postgresql-doc-15/html"), "index.html", topic="hot standby"),
)  # fmt: skip


class LinkRow(Struct, frozen=True):
    """One scenario, in bytes over the link. `kept` are the pages in the folder afterwards, alike for both; `checks` is
    the part that home asked for itself, to check the place."""

    name: str
    kept: int
    central: int
    to_place: int
    from_place: int
    wget2: int
    most: float | None
    cpu_seconds: float
    checks: int = 0

    @property
    def ratio(self) -> float:
        return (self.to_place + self.from_place) / max(1, self.central)
