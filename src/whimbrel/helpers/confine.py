"""What a helper gives up before it begins: memory and time without end, files, the network, life alone."""

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_OPEN_FILES = 64
_FORBIDDEN = ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.exec", "os.fork",
              "os.posix_spawn", "os.system")  # fmt: skip


class Forbidden(Exception):
    """A library tried to leave the process."""


def die_with(parent: int) -> None:
    """Ends with the process that asked for the helper, however that one ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)  # it went before we could ask


def confine(address_space_bytes: int) -> None:
    """For one that runs somebody else's libraries on somebody else's data."""
    bound(address_space_bytes)
    sys.addaudithook(_refuse)


def bound(address_space_bytes: int, cpu_seconds: int | None = None) -> None:
    """What the kernel enforces, also on the program that this process becomes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole process group
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _lower(resource.RLIMIT_AS, address_space_bytes)
    if cpu_seconds is not None:
        allow_cpu(cpu_seconds)


def allow_cpu(seconds: int) -> None:
    """From now on. The limit counts from the start of the process, in whole seconds."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    soft = used + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if most == resource.RLIM_INFINITY else min(soft, most), most))


def _lower(what: int, limit: int) -> None:
    _, most = resource.getrlimit(what)
    lowered = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(what, (lowered, lowered))


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _FORBIDDEN:
        raise Forbidden(f"{event} is not for a helper")
