"""No test waits for time to pass, and home and migrants read it from the clock that they are given."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
MIGRANTS = TESTS.parent / "src" / "whimbrel" / "migrants"
PACED = {
    "migrants/test_handover.py": "a server that takes its time, which is what the test is about",
    "migrants/test_rounds.py": "the loop's clock jumps: no time passes",
    "places/played.py": "the loop's clock jumps: no time passes",
}
LOOPS = {"clock.py": "home's time, as far as the clock of another machine tells it"}


def calls(file: Path) -> Iterator[tuple[str, list[ast.expr]]]:
    """Of functions that are named by something before a dot."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield f"{owner.id if isinstance(owner, ast.Name) else '…'}.{node.func.attr}", node.args


def test_no_test_sleeps() -> None:
    """A turn of the loop, `asyncio.sleep(0)`, is no sleep."""
    sleeping = {
        file.relative_to(TESTS).as_posix()
        for file in TESTS.rglob("*.py")
        for name, given in calls(file)
        if name.endswith(".wait_for_timeout")
        or (name.endswith(".sleep") and not (given and isinstance(given[0], ast.Constant) and given[0].value == 0))
    }
    assert sleeping == set(PACED)


def test_home_and_migrants_read_the_time_from_their_clock() -> None:
    reading = {
        file.relative_to(MIGRANTS).as_posix()
        for file in MIGRANTS.rglob("*.py")
        for name, _ in calls(file)
        if name in ("time.time", "time.monotonic", "time.sleep", "time.perf_counter", "datetime.now")
    }
    assert reading == set(LOOPS)
