"""How much memory a process has and had, as the kernel tells it.

Not by getrusage(2): its peak begins with that of the process that started this one.
"""

from pathlib import Path

from msgspec import Struct


class MemoryUse(Struct, frozen=True, array_like=True):
    resident_bytes: int
    peak_bytes: int
    peak_address_space_bytes: int


NOTHING = MemoryUse(0, 0, 0)


def memory_of(process: int | str) -> MemoryUse:
    """Of a process id or "self"; zeros for a process that is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return NOTHING
    fields = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    return MemoryUse(*(1024 * int(fields[name][0]) if name in fields else 0 for name in ("VmRSS", "VmHWM", "VmPeak")))
