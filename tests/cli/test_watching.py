"""What a watch does between two rounds."""

import ctypes
import subprocess
import sys

import pytest

PIECES = 1_000
PIECE_BYTES = 64_000
"""Each too small to be mapped by itself, so that it comes from the library's store."""

LEFT_BEHIND = f"""
import ctypes, resource, sys
from whimbrel.cli.watching import give_back

def held():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
pieces = [library.malloc({PIECE_BYTES}) for _ in range({PIECES} + 1)]
for piece in pieces:
    ctypes.memset(piece, 1, {PIECE_BYTES})
for piece in pieces[:-1]:  # the last one keeps what is below it from shrinking
    library.free(piece)
before = held()
give_back()
print(before - held())
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this C library returns memory by itself")
def test_what_a_round_left_behind_is_returned() -> None:
    given = subprocess.run([sys.executable, "-c", LEFT_BEHIND], capture_output=True, text=True, check=True)
    assert int(given.stdout) > 0.9 * PIECES * PIECE_BYTES
