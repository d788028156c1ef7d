"""Files that nobody but their owner may read: keys, and what else lets in whoever holds it."""

import os
from pathlib import Path


def write_private(path: Path, data: bytes) -> None:
    """Whole or not at all; what stood there before stays until then."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    part.replace(path)
