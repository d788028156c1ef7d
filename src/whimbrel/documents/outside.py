"""Word and PowerPoint before 2007, read by programs of the system: antiword, catdoc, catppt.

They are started under the limits of a helper process, get the document as a file that has no name, and die with whoever
started them. `python -m whimbrel.documents.outside PARENT BYTES SECONDS PROGRAM …` takes the limits on and becomes the
program.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

from whimbrel.documents import kinds
from whimbrel.documents.contract import DocumentLimits, Unreadable
from whimbrel.documents.draft import Draft
from whimbrel.helpers import confine
from whimbrel.helpers.starting import python, surroundings

PROGRAMS = {
    kinds.DOC: (("antiword", "-m", "UTF-8.txt", "-w", "0"), ("catdoc", "-w", "-d", "utf-8")),
    kinds.PPT: (("catppt", "-d", "utf-8"),),
}
_PACKAGES = {kinds.DOC: "antiword or catdoc", kinds.PPT: "catdoc"}
_ADVICE = {kinds.DOC: "On Debian: apt install antiword", kinds.PPT: "On Debian: apt install catdoc"}
# Names of streams in a compound file ([MS-DOC] §2.1, [MS-PPT] §2.1.2).
_STREAMS = {kinds.DOC: "WordDocument", kinds.PPT: "PowerPoint Document"}
_BYTES_A_CHARACTER = 4
_PIECE_BYTES = 1 << 20
FILE = "<document>"


def kind_of_compound(body: bytes) -> str | None:
    """Which of the kinds it is that are read here; None for another."""
    return next((kind for kind, name in _STREAMS.items() if name.encode("utf-16-le") in body), None)


def read(kind: str, body: bytes, limits: DocumentLimits) -> Draft | Unreadable:
    """By the first program that is installed and understands it."""
    installed = [command for command in PROGRAMS[kind] if shutil.which(command[0])]
    if not installed:
        needed = f"{kinds.NAMES[kind]} is read where {_PACKAGES[kind]} is installed. {_ADVICE[kind]}"
        return Unreadable("unavailable", needed)
    found: Draft | Unreadable = Unreadable("damaged", "")
    for command in installed:
        found = _read(kind, command, body, limits)
        if isinstance(found, Draft) and found.paragraphs:
            return found
    return found


def _read(kind: str, command: tuple[str, ...], body: bytes, limits: DocumentLimits) -> Draft | Unreadable:
    told = run([*command, FILE], body, limits)
    if isinstance(told, Unreadable):
        return told
    said, code = told
    text = said.decode("utf-8", "replace")
    if code and not text.strip():
        return Unreadable("damaged", f"called {kinds.NAMES[kind]}, but {command[0]} cannot read it")
    return Draft(paragraphs=text.replace("\f", "\n").split("\n"))


def run(command: Sequence[str], body: bytes, limits: DocumentLimits) -> tuple[bytes, int] | Unreadable:
    """What the program says of the document, which stands where the command says `FILE`, and its exit code."""
    document = os.memfd_create("document")
    try:
        for start in range(0, len(body), _PIECE_BYTES):
            os.write(document, body[start : start + _PIECE_BYTES])
        return _said([f"/proc/self/fd/{document}" if part == FILE else part for part in command], document, limits)
    finally:
        os.close(document)


def _said(command: list[str], document: int, limits: DocumentLimits) -> tuple[bytes, int] | Unreadable:
    bounds = [str(os.getpid()), str(limits.address_space_bytes), str(limits.cpu_seconds)]
    process = subprocess.Popen(
        python("-m", "whimbrel.documents.outside", *bounds, *command),
        pass_fds=(document,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=surroundings() | {"OMP_THREAD_LIMIT": "1"},
    )
    said, in_time = _heard(process, _BYTES_A_CHARACTER * limits.characters, limits.wall_seconds)
    if not in_time:
        return Unreadable("too_slow", f"not read within {limits.wall_seconds:g} s")
    if process.returncode == -signal.SIGXCPU:
        return Unreadable("too_slow", f"not read within {limits.cpu_seconds} s of processor time")
    return said, process.returncode


def _heard(process: "subprocess.Popen[bytes]", most_bytes: int, seconds: float) -> tuple[bytes, bool]:
    """What it said, up to a limit, and whether it ended by itself in that time."""
    assert process.stdout is not None
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    alarm = threading.Timer(seconds, end)
    alarm.start()
    try:
        with process:
            said = process.stdout.read(most_bytes)
            if len(said) == most_bytes:
                process.kill()  # there may be more, which nobody wants
    finally:
        alarm.cancel()
    return said, not late.is_set()


if __name__ == "__main__":
    confine.die_with(int(sys.argv[1]))
    confine.bound(int(sys.argv[2]), int(sys.argv[3]))
    os.execvp(sys.argv[4], sys.argv[4:])
