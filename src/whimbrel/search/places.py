"""What the folder of an index holds, by name."""

from pathlib import Path

FOLDER = "index"
WORDS = "words"
DAMAGED = "damaged"
LOCK = "lock"


def report_damage(folder: Path, why: str) -> None:
    """For readers, who may not mend: the next catch-up builds the index anew."""
    (folder / FOLDER / DAMAGED).write_text(why)
