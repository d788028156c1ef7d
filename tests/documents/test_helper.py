"""The helper process: one for many documents, confined, replaced when it dies, gone when its parent is."""

import os
import resource
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

import papers
import pytest

from whimbrel.documents import DocumentLimits, DocumentText, Extractor, Unreadable

PATIENCE_MS = 300_000
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def text(outcome: DocumentText | Unreadable) -> str:
    assert isinstance(outcome, DocumentText), outcome
    return outcome.text


def hello(extractor: Extractor) -> int:
    """Reads a small document; the process that did."""
    assert text(extractor.read(papers.small_pdf(), papers.PDF, "")) == "Hello whimbrel"
    assert extractor.pid is not None
    return extractor.pid


def hello_at_last(extractor: Extractor) -> int:
    """The same where time is short: on a busy machine the first helpers may not get it."""
    slow = Unreadable("too_slow", "not read within 0.5 s")
    while (outcome := extractor.read(papers.small_pdf(), papers.PDF, "")) == slow:
        assert extractor.pid is None
    assert text(outcome) == "Hello whimbrel"
    assert extractor.pid is not None
    return extractor.pid


def ended(pidfd: int) -> bool:
    waiting = select.poll()
    waiting.register(pidfd, select.POLLIN)
    return bool(waiting.poll(PATIENCE_MS))


def test_one_helper_reads_many_documents_until_it_is_worn() -> None:
    with Extractor(documents_a_helper=3) as extractor:
        first = [hello(extractor) for _ in range(3)]
        assert len(set(first)) == 1
        assert hello(extractor) != first[0]
    assert (extractor.statistics().documents, extractor.statistics().helpers) == (4, 2)
    assert extractor.statistics().cpu_seconds > 0
    assert extractor.pid is None
    with pytest.raises(ChildProcessError):
        os.waitpid(first[0], 0)


def test_a_helper_is_confined() -> None:
    with Extractor(DocumentLimits(address_space_bytes=512 << 20)) as extractor:
        pid = hello(extractor)
        assert resource.prlimit(pid, resource.RLIMIT_AS) == (512 << 20, 512 << 20)
        assert resource.prlimit(pid, resource.RLIMIT_CORE) == (0, 0)
        assert resource.prlimit(pid, resource.RLIMIT_FSIZE) == (0, 0)
        assert resource.prlimit(pid, resource.RLIMIT_CPU)[0] < 60


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
    ],
)
def test_a_library_cannot_leave_the_helper(attempt: str) -> None:
    program = f"from whimbrel.helpers import confine\nconfine.confine(1 << 30)\n{attempt}"
    done = subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert "Forbidden" in done.stderr


def test_the_calling_process_imports_no_document_library() -> None:
    program = (
        "import sys, whimbrel.documents as d\n"
        f"with d.Extractor() as e: found = e.read({papers.small_pdf()!r}, 'application/pdf', '')\n"
        "assert isinstance(found, d.DocumentText)\n"
        "print(*(set(sys.modules) & {'pypdfium2', 'docx', 'pptx', 'odfdo', 'lxml', 'feedparser', 'turbohtml'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_a_helper_that_hangs_is_killed_in_time() -> None:
    with Extractor(DocumentLimits(wall_seconds=0.5)) as extractor:
        for body in (papers.small_pdf(), b"x" * (4 << 20)):  # one fits in the socket's buffer, the other does not
            stopped = hello_at_last(extractor)
            os.kill(stopped, signal.SIGSTOP)
            assert extractor.read(body, "text/plain", "") == Unreadable("too_slow", "not read within 0.5 s")
            assert extractor.pid is None
        assert hello_at_last(extractor) != stopped


def test_a_helper_killed_between_documents_is_no_documents_fault() -> None:
    with Extractor() as extractor:
        before = hello(extractor)
        os.kill(before, signal.SIGKILL)
        assert hello(extractor) != before


def test_a_document_is_read_again_when_the_helper_is_killed_over_it() -> None:
    """The helper is stopped, so that it dies with the document in hand and not answered."""
    with Extractor() as extractor, ThreadPoolExecutor(1) as thread:
        before = hello(extractor)
        os.kill(before, signal.SIGSTOP)
        reading = thread.submit(extractor.read, papers.word(), papers.DOCX, "")
        os.kill(before, signal.SIGKILL)
        assert papers.CURLEW in text(reading.result(timeout=300))
        hello(extractor)


def test_a_document_that_ends_two_helpers_is_at_fault() -> None:
    with Extractor() as extractor, ThreadPoolExecutor(1) as thread:
        reading = thread.submit(extractor.read, papers.looping_pdf(), papers.PDF, "")
        while not wait([reading], timeout=0.02).done:
            if (pid := extractor.pid) is not None and _is_reading(pid):
                with suppress(ProcessLookupError):  # it was reaped meanwhile
                    os.kill(pid, signal.SIGKILL)
        assert reading.result() == Unreadable("crashed", "reading it ended the helper process (SIGKILL)")
        assert extractor.statistics().helpers == 2
        hello(extractor)


def _is_reading(pid: int) -> bool:
    """Once PDFium is loaded, the document has come."""
    try:
        return "pdfium" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("busy", [False, True])
def test_no_helper_outlives_its_parent(busy: bool) -> None:
    program = (
        "import sys\nfrom whimbrel.documents import Extractor\n"
        f"extractor = Extractor()\nextractor.read({papers.small_pdf()!r}, 'application/pdf', '')\n"
        "print(extractor.pid, flush=True)\n"
    )
    program += f"extractor.read({papers.looping_pdf()!r}, 'application/pdf', '')" if busy else "sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        helper = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.kill()
            assert ended(helper)
        finally:
            os.close(helper)


@pytest.mark.parametrize(
    "program", ["", "#!/bin/false\n", "#!{python}\nimport os, sys\nos.write(int(sys.argv[4]), b'\\xff' * 9)\n"]
)
def test_without_a_helper_the_document_is_not_blamed(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No interpreter, one that ends at once, and one that says what no helper would."""
    interpreter = tmp_path / "python"
    if program:
        interpreter.write_text(program.format(python=sys.executable))
        interpreter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(interpreter))
    with Extractor() as extractor:
        outcome = extractor.read(papers.small_pdf(), papers.PDF, "")
    assert isinstance(outcome, Unreadable)
    assert (outcome.kind, outcome.passing) == ("unavailable", True)


def test_an_interrupted_reading_leaves_no_answer_behind() -> None:
    class Interrupted(Exception):
        pass

    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    with Extractor() as extractor:
        hello(extractor)
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(Interrupted):
                extractor.read(papers.looping_pdf(), papers.PDF, "")
        finally:
            signal.signal(signal.SIGALRM, before)
        assert extractor.pid is None
        hello(extractor)


def test_threads_share_an_extractor() -> None:
    with Extractor() as extractor, ThreadPoolExecutor(4) as threads:
        bodies = [f"text number {number}" for number in range(40)]
        found = list(threads.map(lambda body: extractor.read(body.encode(), "text/plain", ""), bodies))
    assert [text(outcome) for outcome in found] == bodies


def test_the_helper_may_end_with_the_thread_that_started_it() -> None:
    with Extractor() as extractor:
        thread = threading.Thread(target=hello, args=(extractor,))
        thread.start()
        thread.join()
        assert extractor.pid is not None
        # A thread is joined before the system has ended it, and the helper ends with that.
        os.waitid(os.P_PID, extractor.pid, os.WEXITED | os.WNOWAIT)
        hello(extractor)
        assert extractor.statistics().helpers == 2
