"""One name, one thing: a class of the project is found by its name alone."""

import ast
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "src" / "whimbrel"
PORT = "repository.port"
ENGINES = ("repository.embedded", "repository.memory")


def test_a_class_name_occurs_once() -> None:
    """But for a protocol of the repository's port: each engine calls its own by the same name, for it is the same thing
    to whoever asks. Such a name occurs nowhere else, and once in an engine."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for file in sorted(PROJECT.rglob("*.py")):
        room = ".".join(file.relative_to(PROJECT).parts[:-1])
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.ClassDef):
                rooms[node.name].append(room)
    assert len(rooms) > 500
    shared = {name: found for name, found in rooms.items() if len(found) > 1}
    doubled = {name: found for name, found in shared.items() if not _is_port_and_engines(found)}
    assert not doubled, "say by the name which one is meant"


def _is_port_and_engines(rooms: list[str]) -> bool:
    return PORT in rooms and len(set(rooms)) == len(rooms) and {*rooms} <= {PORT, *ENGINES}
