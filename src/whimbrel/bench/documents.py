"""`bench documents`: every document of some Debian packages read, what that costs, and what pdftotext reads."""

import re
import resource
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from time import perf_counter

from msgspec import Struct

from whimbrel.bench.goals import Goal, holds
from whimbrel.bench.machine import MissingTool, Say, need_package
from whimbrel.documents import DocumentText, Extractor, Unreadable, kind_of
from whimbrel.documents.contract import DEFAULT_LIMITS, DocumentLimits

PACKAGES = {
    "texlive-latex-recommended-doc": Path("/usr/share/doc/texlive-doc/latex/memoir/memman.pdf"),
    "live-manual-odf": Path("/usr/share/doc/live-manual/odt/live-manual.en.odt"),
}
"""Whose documents are read, and a file by which each is known to be installed."""

PDFTOTEXT = Path("/usr/bin/pdftotext")

_WORD = re.compile(r"[^\W\d_]{3,}")
_ENDINGS = (".pdf", ".odt", ".odp", ".ods", ".docx", ".pptx")


class DocumentsTrial(Struct, frozen=True):
    """`folder`: documents of one's own instead. `peer`: whether pdftotext reads them too."""

    folder: Path | None = None
    limits: DocumentLimits = DEFAULT_LIMITS
    peer: bool = True


class KindFigures(Struct, frozen=True):
    """What was read of one kind. `seconds` are by the clock, the helper's start included."""

    kind: str
    files: int
    bytes: int
    pages: int
    characters: int
    cut: int
    untitled: int
    seconds: float
    slowest_seconds: float
    slowest: str


class UnreadFile(Struct, frozen=True):
    file: str
    kind: str
    reason: str


class PdfPeer(Struct, frozen=True):
    """pdftotext of Poppler over the same PDFs. `words_found`: of the words it finds in a document, the share that ours
    finds too."""

    files: int
    bytes: int
    cpu_seconds: float
    our_cpu_seconds: float
    words_found: float
    worst_words_found: float
    worst: str


class DocumentsReport(Struct, frozen=True):
    files: int
    bytes: int
    kinds: list[KindFigures]
    failures: list[UnreadFile]
    helpers: int
    cpu_seconds: float
    """Of the helper processes, start and imports included."""
    peak_bytes: int
    """Of the largest helper."""
    peer: PdfPeer | None


class _FileRead(Struct, frozen=True):
    path: Path
    size: int
    kind: str
    outcome: DocumentText | Unreadable
    seconds: float


def goals(report: DocumentsReport) -> list[Goal]:
    return [holds("documents that end neither as text nor with a reason", sum(not f.reason for f in report.failures))]


def run(plan: DocumentsTrial, say: Say) -> DocumentsReport:
    paths = _files_in(plan.folder) if plan.folder is not None else _installed(say)
    with Extractor(plan.limits) as extractor:
        readings = list(_read(paths, extractor, say))
    cost = extractor.statistics()
    failures = [
        UnreadFile(str(one.path), one.outcome.kind, one.outcome.reason)
        for one in readings
        if isinstance(one.outcome, Unreadable)
    ]
    return DocumentsReport(
        files=len(readings),
        bytes=sum(one.size for one in readings),
        kinds=list(_by_kind(readings)),
        failures=failures,
        helpers=cost.helpers,
        cpu_seconds=cost.cpu_seconds,
        peak_bytes=cost.peak_bytes,
        peer=_peer(readings, plan, say) if plan.peer else None,
    )


def files_of(package: str) -> list[Path]:
    """The documents of a Debian package; none where it is not installed."""
    if not PACKAGES[package].exists():
        return []
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True).stdout.splitlines()
    return [path for path in map(Path, listed) if path.suffix in _ENDINGS and path.is_file()]


def _installed(say: Say) -> list[Path]:
    for package, known in PACKAGES.items():
        need_package(known, package, say)
    return [path for package in PACKAGES for path in files_of(package)]


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in _ENDINGS and path.is_file())


def _read(paths: list[Path], extractor: Extractor, say: Say) -> Iterator[_FileRead]:
    for number, path in enumerate(paths, 1):
        if number % 50 == 0:
            say(f"{number} of {len(paths)} documents")
        body = path.read_bytes()
        began = perf_counter()
        outcome = extractor.read(body, "", path.as_uri())
        kind = kind_of("", path.as_uri(), body) or path.suffix
        yield _FileRead(path, len(body), kind, outcome, perf_counter() - began)


def _by_kind(readings: list[_FileRead]) -> Iterator[KindFigures]:
    for kind in sorted({one.kind for one in readings}):
        of_kind = [(one, one.outcome) for one in readings if one.kind == kind]
        read = [(one, outcome) for one, outcome in of_kind if isinstance(outcome, DocumentText)]
        slowest = max((one for one, _ in of_kind), key=lambda one: one.seconds)
        yield KindFigures(
            kind=kind,
            files=len(read),
            bytes=sum(one.size for one, _ in read),
            pages=sum(outcome.pages for _, outcome in read),
            characters=sum(len(outcome.text) for _, outcome in read),
            cut=sum(bool(outcome.cut) for _, outcome in read),
            untitled=sum(not outcome.title for _, outcome in read),
            seconds=sum(one.seconds for one, _ in of_kind),
            slowest_seconds=slowest.seconds,
            slowest=slowest.path.name,
        )


def _peer(readings: list[_FileRead], plan: DocumentsTrial, say: Say) -> PdfPeer | None:
    """Ours reads the PDFs once more, alone, for the sake of its CPU time."""
    read = [(one.path, one.outcome) for one in readings if one.kind == "pdf" and isinstance(one.outcome, DocumentText)]
    if not read:
        return None
    try:
        need_package(PDFTOTEXT, "poppler-utils", say)
    except MissingTool as missing:
        say(str(missing))
        return None
    say("pdftotext")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    theirs = [_pdftotext(path) for path, _ in read]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Extractor(plan.limits) as extractor:
        for path, _ in read:
            extractor.read(path.read_bytes(), "", path.as_uri())
    found = [_found(_words(ours.text), _words(text)) for (_, ours), text in zip(read, theirs, strict=True)]
    worst = min(range(len(found)), key=found.__getitem__)
    return PdfPeer(
        files=len(read),
        bytes=sum(path.stat().st_size for path, _ in read),
        cpu_seconds=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        our_cpu_seconds=extractor.statistics().cpu_seconds,
        words_found=fmean(found),
        worst_words_found=found[worst],
        worst=read[worst][0].name,
    )


def _pdftotext(path: Path) -> str:
    done = subprocess.run([PDFTOTEXT, "-q", "-enc", "UTF-8", path, "-"], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(unicodedata.normalize("NFKC", text).lower()))


def _found(ours: set[str], theirs: set[str]) -> float:
    return len(ours & theirs) / len(theirs) if theirs else 1.0
