"""One site of Debian's packages by each of several generators, whose templates are theirs and not ours.

Each is given the records in its own source format and renders a page for each. What it put in is what we wrote into
the source, and is expected under the name that the template shows beside it; where it shows none, under that of the
element's class, or as the title where it is the page's first heading.
"""

import os
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.machine import MissingTool, Say, need_package
from whimbrel.bench.peers import scrapy_python
from whimbrel.bench.table_records import PackageRecord

DOCBOOK = Path("/usr/share/xml/docbook/stylesheet/docbook-xsl/html/docbook.xsl")
_FIRST_DAY = datetime(2024, 1, 1, 12, tzinfo=UTC)
_MINUTES = 15


class RenderedPage(Struct, frozen=True):
    body: bytes
    put_in: dict[str, str]


class Rendering(Struct, frozen=True):
    """A generator: what it needs and how it renders records into a folder."""

    name: str
    need: Callable[[Say], None]
    render: Callable[[Sequence[PackageRecord], Path], list[RenderedPage]]


def _run(*command: str | Path, cwd: Path, **settings: str) -> bytes:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC", **settings}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        check=False, timeout=60 * _MINUTES,
    )  # fmt: skip
    if done.returncode:
        raise MissingTool(f"{command[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()[-500:]}")
    return done.stdout


def _python(module: str) -> Callable[[Say], None]:
    def need(say: Say) -> None:
        # One environment for all that benches measure against, see `peers`.
        from whimbrel.bench.peers import PEERS

        python = scrapy_python()
        if not python.exists() or subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode:
            PEERS["scrapy"].prepare(say)

    return need


def _package(*files: tuple[str, str]) -> Callable[[Say], None]:
    """Each file comes with a package of Debian."""

    def need(say: Say) -> None:
        for path, package in files:
            need_package(Path(path), package, say)

    return need


def _read(files: Sequence[Path], put_in: Sequence[dict[str, str]]) -> list[RenderedPage]:
    return [RenderedPage(file.read_bytes(), one) for file, one in zip(files, put_in, strict=True)]


def _fields(one: PackageRecord, **named: str) -> dict[str, str]:
    """What was put in, by the name it is shown with; what a record has not is on no page."""
    return {
        name.replace("head_ltitle", "head-ltitle").replace("_", " "): value for name, value in named.items() if value
    }


# Python's.


def _docutils(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """Bibliographic fields below the title become a list of the document's own (docinfo)."""
    for one in records:
        home = f":Homepage: {one.homepage}\n" if one.homepage else ""
        (folder / f"{one.package}.rst").write_text(
            f"{one.package}\n{'=' * 40}\n\n:Author: {one.maintainer}\n:Version: {one.version}\n"
            f":Section: {one.section}\n:Contact: {one.email}\n{home}\n{one.about}\n"
        )
    program = "import sys, docutils.core as d\nfor n in sys.argv[1:]: d.publish_file(source_path=n + '.rst', " \
        "destination_path=n + '.html', writer_name='html5')"  # fmt: skip
    _run(scrapy_python(), "-c", program, *(one.package for one in records), cwd=folder)
    return _read(
        [folder / f"{one.package}.html" for one in records],
        [
            _fields(one, title=one.package, Author=one.maintainer, Version=one.version, Section=one.section,
                    Contact=one.email, Homepage=one.homepage, text=one.about)
            for one in records
        ],
    )  # fmt: skip


def _sphinx(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """Field lists, and a section with a heading; the theme is alabaster."""
    for one in records:
        home = f":Homepage: {one.homepage}\n" if one.homepage else ""
        (folder / f"{one.package}.rst").write_text(
            f"{one.package}\n{'=' * 40}\n\n{one.summary}\n\n:Version: {one.version}\n:Section: {one.section}\n"
            f":Maintainer: {one.maintainer}\n:Size: {one.size}\n{home}\nDescription\n{'-' * 40}\n\n{one.about}\n"
        )
    names = "\n".join(f"   {one.package}" for one in records)
    (folder / "index.rst").write_text(f"Packages\n========\n\n.. toctree::\n\n{names}\n")
    (folder / "conf.py").write_text("project = 'Packages'\nhtml_theme = 'alabaster'\nsmartquotes = False\n")
    _run(scrapy_python(), "-m", "sphinx", "-q", "-b", "html", ".", "out", cwd=folder)
    return _read(
        [folder / f"out/{one.package}.html" for one in records],
        [
            _fields(one, title=one.package, body=one.summary, Version=one.version, Section=one.section,
                    Maintainer=one.maintainer, Size=one.size, Homepage=one.homepage, Description=one.about)
            for one in records
        ],
    )  # fmt: skip


def _mkdocs(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """Markdown tables, in the theme of Read the Docs."""
    (folder / "docs").mkdir()
    for one in records:
        home = f"| Homepage | {one.homepage} |\n" if one.homepage else ""
        (folder / f"docs/{one.package}.md").write_text(
            f"# {one.package}\n\n| Field | Value |\n| --- | --- |\n| Version | {one.version} |\n"
            f"| Section | {one.section} |\n{home}| Maintainer | {one.maintainer} |\n| Installed size | {one.size} |\n\n"
            f"## About\n\n{one.about}\n"
        )
    (folder / "docs/index.md").write_text("# Packages\n\nAll of them.\n")
    (folder / "mkdocs.yml").write_text("site_name: Packages\ntheme: readthedocs\nuse_directory_urls: false\n")
    _run(scrapy_python(), "-m", "mkdocs", "build", "--quiet", cwd=folder)
    return _read(
        [folder / f"site/{one.package}.html" for one in records],
        [
            _fields(one, title=one.package, Version=one.version, Section=one.section, Homepage=one.homepage,
                    Maintainer=one.maintainer, Installed_size=one.size, About=one.about)
            for one in records
        ],
    )  # fmt: skip


def _pelican(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """Articles of a blog in its default theme: when published, by whom, in which category, with which tags."""
    (folder / "content").mkdir()
    days = [_FIRST_DAY + timedelta(days=at) for at in range(len(records))]
    for one, day in zip(records, days, strict=True):
        (folder / f"content/{one.package}.rst").write_text(
            f"{one.package}\n{'#' * 40}\n\n:date: {day:%Y-%m-%d %H:%M}\n:category: {one.section}\n"
            f":author: {one.maintainer}\n:slug: {one.package}\n:tags: v{one.version}\n\n{one.about}\n"
        )
    (folder / "conf.py").write_text(
        "SITENAME = 'Packages'\nTIMEZONE = 'UTC'\nDEFAULT_LANG = 'en'\nPATH = 'content'\nSITEURL = ''\n"
        "FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None\n"
    )
    _run(scrapy_python(), "-m", "pelican", "-q", "-s", "conf.py", "-o", "out", "content", cwd=folder)
    return _read(
        [folder / f"out/{one.package}.html" for one in records],
        [
            {"title": one.package, "Published": f"{day:%a %d %B %Y}", "By": one.maintainer, "In": one.section,
             "tags": f"v{one.version}", "entry-content": one.about}
            for one, day in zip(records, days, strict=True)
        ],
    )  # fmt: skip


# Of languages.


def _javadoc(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    (folder / "debian").mkdir()
    for one in records:
        (folder / f"debian/{one.package.capitalize()}.java").write_text(
            f"package debian;\n\n/**\n * {one.about}\n * @author {one.maintainer}\n * @version {one.version}\n"
            f" * @since {one.section}\n */\npublic interface {one.package.capitalize()} {{}}\n"
        )
    sources = sorted((folder / "debian").glob("*.java"))
    _run("javadoc", "-quiet", "-author", "-version", "-Xdoclint:none", "-d", "out", *sources, cwd=folder)
    return _read(
        [folder / f"out/debian/{one.package.capitalize()}.html" for one in records],
        [
            _fields(one, title=one.package.capitalize(), Author=one.maintainer, Version=one.version, Since=one.section,
                    block=one.about)
            for one in records
        ],
    )  # fmt: skip


def _doxygen(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    classes = [
        f"/** {one.about}\n * \\author {one.maintainer}\n * \\version {one.version}\n * \\since {one.section}\n"
        f" * \\copyright {one.size} bytes\n */\nclass {one.package.capitalize()} {{}};\n"
        for one in records
    ]
    (folder / "packages.h").write_text("\n".join(classes))
    (folder / "Doxyfile").write_text(
        "PROJECT_NAME=Packages\nINPUT=packages.h\nGENERATE_LATEX=NO\nQUIET=YES\nWARNINGS=NO\nCASE_SENSE_NAMES=YES\n"
        "AUTOLINK_SUPPORT=NO\nHTML_OUTPUT=out\n"
    )
    _run("doxygen", cwd=folder)
    return _read(
        [folder / f"out/class{one.package.capitalize()}.html" for one in records],
        [
            _fields(one, title=one.package.capitalize(), Author=one.maintainer, Version=one.version, Since=one.section,
                    Copyright=f"{one.size} bytes", Detailed_Description=one.about)
            for one in records
        ],
    )  # fmt: skip


def _pod(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """Perl's manuals: nothing but headings."""
    for one in records:
        home = f"=head1 HOMEPAGE\n\n{one.homepage}\n\n" if one.homepage else ""
        (folder / f"{one.package}.pod").write_text(
            f"=head1 NAME\n\n{one.package}\n\n=head1 VERSION\n\n{one.version}\n\n{home}=head1 SECTION\n\n{one.section}"
            f"\n\n=head1 AUTHOR\n\n{one.maintainer}\n\n=head1 DESCRIPTION\n\n{one.about}\n\n=cut\n"
        )
        _run("pod2html", "--noindex", f"--infile={one.package}.pod", f"--outfile={one.package}.html", cwd=folder)
    return _read(
        [folder / f"{one.package}.html" for one in records],
        [
            _fields(one, NAME=one.package, VERSION=one.version, HOMEPAGE=one.homepage, SECTION=one.section,
                    AUTHOR=one.maintainer, DESCRIPTION=one.about)
            for one in records
        ],
    )  # fmt: skip


# Of publishers.


def _docbook(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """An article each: what its head says has classes and no labels, what its list says has labels."""
    for one in records:
        entries = {"Section": one.section, "Size": one.size, "Homepage": one.homepage}
        varied = "".join(
            f"<varlistentry><term>{name}</term><listitem><para>{escape(value)}</para></listitem></varlistentry>"
            for name, value in entries.items()
            if value
        )
        first, _, last = one.maintainer.partition(" ")
        (folder / f"{one.package}.xml").write_text(
            f"<article><articleinfo><title>{one.package}</title><author><firstname>{first}</firstname>"
            f"<surname>{last}</surname></author><releaseinfo>{escape(one.version)}</releaseinfo></articleinfo>"
            f"<variablelist>{varied}</variablelist><section><title>About</title><para>{escape(one.about)}</para>"
            "</section></article>"
        )
        page = _run(
            "xsltproc", "--nonet", "--stringparam", "generate.toc", "", DOCBOOK, f"{one.package}.xml", cwd=folder
        )
        (folder / f"{one.package}.html").write_bytes(page)
    return _read(
        [folder / f"{one.package}.html" for one in records],
        [
            _fields(one, title=one.package, author=one.maintainer, releaseinfo=one.version, Section=one.section,
                    Size=one.size, Homepage=one.homepage, About=one.about)
            for one in records
        ],
    )  # fmt: skip


def _asciidoctor(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """A table without a head, as its horizontal lists are."""
    for one in records:
        home = f"Homepage:: {one.homepage}\n" if one.homepage else ""
        (folder / f"{one.package}.adoc").write_text(
            f"= {one.package}\n{one.maintainer}\n\n[horizontal]\nRelease:: {one.version}\nSection:: {one.section}\n"
            f"{home}Size:: {one.size}\n\n== About\n\n{one.about}\n"
        )
    _run("asciidoctor", "-a", "reproducible", "-a", "nofooter", *(f"{one.package}.adoc" for one in records), cwd=folder)
    return _read(
        [folder / f"{one.package}.html" for one in records],
        [
            _fields(one, title=one.package, author=one.maintainer, Release=one.version, Section=one.section,
                    Homepage=one.homepage, Size=one.size, About=one.about)
            for one in records
        ],
    )  # fmt: skip


def _mhonarc(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """An archive of mails, one about each package."""
    days = [_FIRST_DAY + timedelta(days=at) for at in range(len(records))]
    mails = [
        f"From {one.email} {day:%a %b %d %H:%M:%S %Y}\nFrom: {one.maintainer} <{one.email}>\n"
        f"To: list@lists.example.org\nSubject: {one.package} {one.version}\nDate: {day:%a, %d %b %Y %H:%M:%S} +0000\n"
        f"Message-ID: <{at}@lists.example.org>\n\n{one.about}\n\n"
        for at, (one, day) in enumerate(zip(records, days, strict=True))
    ]
    (folder / "mails.mbox").write_text("".join(mails))
    (folder / "out").mkdir()
    _run("mhonarc", "-quiet", "-outdir", "out", "-mailtourl", "", "-nospammode", "mails.mbox", cwd=folder)
    return _read(
        [folder / f"out/msg{at:05}.html" for at in range(len(records))],
        [
            {"title": f"{one.package} {one.version}", "From": f"{one.maintainer} <{one.email}>",
             "Date": f"{day:%a, %d %b %Y %H:%M:%S} +0000", "text": one.about}
            for one, day in zip(records, days, strict=True)
        ],
    )  # fmt: skip


def _mandoc(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    """Pages of a manual; chosen, as YARD, after the rules of `fields` were settled on the others."""
    pages = []
    for one in records:
        home = f".Sh HOMEPAGE\n{one.homepage}\n" if one.homepage else ""
        (folder / one.package).write_text(
            f".Dd January 1, 2024\n.Dt {one.package.upper()} 8\n.Os Debian\n.Sh NAME\n.Nm {one.package}\n"
            f".Nd {one.summary}\n.Sh DESCRIPTION\n{one.about}\n{home}"
            f".Sh AUTHORS\n{one.maintainer}\n.Sh VERSION\n{one.version}\n"
        )
        pages.append(_run("mandoc", "-Thtml", one.package, cwd=folder))
    return [
        RenderedPage(
            page,
            _fields(one, head_ltitle=f"{one.package.upper()}(8)", NAME=f"{one.package} — {one.summary}",
                    DESCRIPTION=one.about, HOMEPAGE=one.homepage, AUTHORS=one.maintainer, VERSION=one.version),
        )
        for one, page in zip(records, pages, strict=True)
    ]  # fmt: skip


def _yard(records: Sequence[PackageRecord], folder: Path) -> list[RenderedPage]:
    for one in records:
        (folder / f"{one.package}.rb").write_text(
            f"# {one.about}\n# @author {one.maintainer}\n# @version {one.version}\n# @since {one.section}\n"
            f"class {one.package.capitalize()}\nend\n"
        )
    _run(
        "yard",
        "doc",
        "-q",
        "--no-cache",
        "--no-save",
        "-o",
        "out",
        *(f"{one.package}.rb" for one in records),
        cwd=folder,
    )
    return _read(
        [folder / f"out/{one.package.capitalize()}.html" for one in records],
        [
            _fields(one, title=one.package.capitalize(), Defined_in=f"{one.package}.rb", Overview=one.about,
                    Author=one.maintainer, Version=one.version, Since=one.section)
            for one in records
        ],
    )  # fmt: skip


RENDERINGS = (
    Rendering("docutils", _python("docutils"), _docutils),
    Rendering("Sphinx", _python("sphinx"), _sphinx),
    Rendering("MkDocs", _python("mkdocs"), _mkdocs),
    Rendering("Pelican", _python("pelican"), _pelican),
    Rendering("Javadoc", _package(("/usr/bin/javadoc", "default-jdk-headless")), _javadoc),
    Rendering("Doxygen", _package(("/usr/bin/doxygen", "doxygen")), _doxygen),
    Rendering("pod2html", _package(("/usr/bin/pod2html", "perl")), _pod),
    Rendering("DocBook", _package((str(DOCBOOK), "docbook-xsl"), ("/usr/bin/xsltproc", "xsltproc")), _docbook),
    Rendering("Asciidoctor", _package(("/usr/bin/asciidoctor", "asciidoctor")), _asciidoctor),
    Rendering("MHonArc", _package(("/usr/bin/mhonarc", "mhonarc")), _mhonarc),
    Rendering("mandoc", _package(("/usr/bin/mandoc", "mandoc")), _mandoc),
    Rendering("YARD", _package(("/usr/bin/yard", "yard")), _yard),
)
