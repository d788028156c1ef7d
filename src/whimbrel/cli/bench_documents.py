"""`whimbrel bench documents`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import harmless, number, size

if TYPE_CHECKING:
    from whimbrel.bench.documents import DocumentsReport

EPILOG = f"""\b
Examples:
  whimbrel bench documents
  whimbrel bench documents --folder ~/papers --json

{exits.LIST}"""


@click.command("documents", epilog=EPILOG)
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    help="Documents of your own.  [default: those of texlive-latex-recommended-doc and live-manual-odf]",
)  # fmt: skip
@options.as_json
def documents(folder: Path | None, as_json: bool) -> int:
    """Whether every PDF and office document ends as text or a reason, and what reading costs.

    Debian packages that are missing are installed where that is allowed, and named where not.
    """
    from whimbrel.bench import documents as bench

    with measuring.hindrances_told():
        report = bench.run(bench.DocumentsTrial(folder), measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "DocumentsReport") -> None:
    read = report.files - len(report.failures)
    click.echo(
        f"{number(report.files)} documents, {size(report.bytes)}: {number(read)} read, {len(report.failures)} not"
    )
    click.echo(
        f"\n{'read':8}{'files':>7}{'size':>10}{'pages':>9}{'text':>10}{'cut':>5}{'untitled':>10}{'seconds':>9}  slowest"
    )
    for kind in report.kinds:
        click.echo(
            f"{kind.kind:8}{number(kind.files):>7}{size(kind.bytes):>10}{number(kind.pages):>9}"
            f"{size(kind.characters):>10}{kind.cut:>5}{kind.untitled:>10}{kind.seconds:>9.1f}"
            f"  {kind.slowest_seconds:.1f} s, {harmless(kind.slowest)}"
        )
    click.echo(f"\nnot read{'':12}files")
    for name in sorted({failure.kind for failure in report.failures}):
        alike = [failure for failure in report.failures if failure.kind == name]
        click.echo(f"{name:18}{len(alike):>7}  {harmless(alike[0].reason)}: {harmless(Path(alike[0].file).name)}")
    megabytes = max(report.bytes, 1) / 1_000_000
    click.echo(
        f"\n{report.cpu_seconds / megabytes:.2f} s of CPU a MB ({report.cpu_seconds:.1f} s in all), "
        f"{report.helpers} helper processes, the largest {size(report.peak_bytes)}"
    )
    if (peer := report.peer) is not None:
        click.echo(
            f"pdftotext over {number(peer.files)} PDFs: {1e6 * peer.cpu_seconds / peer.bytes:.2f} s of CPU a MB, "
            f"ours {1e6 * peer.our_cpu_seconds / peer.bytes:.2f}"
        )
        click.echo(
            f"of its words, ours has {peer.words_found:.2%} on average, "
            f"{peer.worst_words_found:.1%} at the worst ({harmless(peer.worst)})"
        )
