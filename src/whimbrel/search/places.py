"""What the folder of an index holds, by name."""

import fcntl
import os
from pathlib import Path

from whimbrel.documents.papers import FOLDER as FOLDER

WORDS = "words"
DAMAGED = "damaged"
LOCK = "lock"


def has_index(folder: Path) -> bool:
    """Whether a repository's folder holds an index that was committed."""
    return (folder / FOLDER / WORDS / "meta.json").exists()


def lock(place: Path) -> int | None:
    """Held by the one writer, None where another holds it. A kernel lock: it goes with the process, however that
    ends."""
    place.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(place / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def report_damage(folder: Path, why: str) -> None:
    """For readers, who may not mend: the next catch-up builds the index anew."""
    (folder / FOLDER / DAMAGED).write_text(why)
