"""A process of ours is started by exec: the caller may have threads, and a fork of those can deadlock."""

import os
import socket
import subprocess
import sys


def started(module: str) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """`python -m MODULE CONNECTION PARENT`: an inherited file descriptor and our process id. Raises OSError."""
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            process = subprocess.Popen(
                [*python("-m", module), str(theirs.fileno()), str(os.getpid())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=surroundings(),
            )
    except OSError:
        ours.close()
        raise
    return process, ours


def python(*arguments: str) -> list[str]:
    """-P: nothing is imported from the working folder."""
    return [sys.executable, "-P", *arguments]


def surroundings() -> dict[str, str]:
    """The environment in which it finds the modules that we found."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
