"""What a watch does between two rounds."""

import ctypes
import subprocess
import sys

import pytest

PIECES = 500
PIECE_BYTES = 64_000
"""Each too small to be mapped by itself, so that it comes from a store of the library."""

LEFT_BEHIND = f"""
import ctypes, resource, sys, threading
from whimbrel.cli.watching import give_back, share_one_store

def held():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

def work():
    library.free(library.malloc(33_000_000))  # from now on the library keeps as much for later
    pieces = [library.malloc({PIECE_BYTES}) for _ in range({PIECES} + 1)]
    for piece in pieces:
        ctypes.memset(piece, 1, {PIECE_BYTES})
    for piece in pieces if sys.argv[1] == "all" else pieces[:-1]:  # a last one keeps what is below it from shrinking
        library.free(piece)

share_one_store()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
thread = threading.Thread(target=work)
thread.start()
thread.join()
before = held()
give_back()
print(before - held())
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this C library returns memory by itself")
@pytest.mark.parametrize("freed", ["all", "all but the last"])
def test_what_a_thread_left_behind_in_a_round_is_returned(freed: str) -> None:
    given = subprocess.run([sys.executable, "-c", LEFT_BEHIND, freed], capture_output=True, text=True, check=True)
    assert int(given.stdout) > 0.9 * PIECES * PIECE_BYTES
