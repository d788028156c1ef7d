"""The engines that keep repositories: the one place where they are named, and by which everybody opens one.

Another engine is a class that meets `port.engine.Engine`, a name for it here, and the contract tests passed.
"""

from whimbrel.repository import location
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.location import Where, located
from whimbrel.repository.port.engine import Engine
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.port.writer import Writer
from whimbrel.repository.upkeep import Erased, ForgetTarget, FormatStep, Losses, Thinned

ROLLOVER_BYTES = 1 << 30
SOFTWARE = "whimbrel"


def engine_of(where: Where) -> Engine:
    """Imported when it is asked for: a program loads the engine that it uses."""
    match located(where).engine:
        case location.EMBEDDED:
            from whimbrel.repository.embedded.engine import Embedded

            return Embedded()
        case location.MEMORY:
            from whimbrel.repository.memory.engine import InMemory

            return InMemory()
        case name:
            raise RepositoryError(f"there is no engine `{name}` that could keep {where}")


def exists(where: Where) -> bool:
    return engine_of(where).exists(located(where))


def open_reader(where: Where, *, cache_bytes: int = 0) -> Reader:
    """`cache_bytes` is for whoever reads everything once, in order, and has no use for what the engine would hold."""
    return engine_of(where).reader(located(where), cache_bytes)


def open_writer(where: Where, *, rollover_bytes: int = ROLLOVER_BYTES, software: str = SOFTWARE) -> Writer:
    return engine_of(where).writer(located(where), rollover_bytes, software)


def survey(where: Where, target: ForgetTarget) -> Losses:
    """What forgetting would cost; changes nothing."""
    return engine_of(where).survey(located(where), target)


def erase(where: Where, target: ForgetTarget, now: float, software: str, *, allow_again: bool = False) -> Erased:
    """Forgets, for good. Unless `allow_again`, later crawls refuse what was forgotten."""
    return engine_of(where).erase(located(where), target, now, software, allow_again)


def thin(where: Where, keep: int, now: float, software: str, *, dry_run: bool = False) -> Thinned:
    """Leaves the `keep` newest versions of every URL, and always the one that counts as its newest."""
    return engine_of(where).thin(located(where), keep, now, software, dry_run)


def upgrade(where: Where) -> list[FormatStep]:
    """Takes every step to this release's format that is missing and says which."""
    return engine_of(where).upgrade(located(where))


def newest_format(where: Where) -> int:
    return engine_of(where).format
