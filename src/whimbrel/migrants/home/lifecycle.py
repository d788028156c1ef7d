"""The states of a migrant, and which of them a verb leads from and to. Everything else about a migrant may change;
its name is its own for life.

    create      nothing → created; it is active as soon as its process has said hello
    clone       a new migrant under its own name, with a share of the first one's work
    dispatch    active → moving → active at another place, with its queue
    retract     the same, back to the place where it was born
    deactivate  active → moving → asleep: its queue is saved, its process ended
    activate    asleep → created, at any place, with its queue (woken until then where no crawl runs)
    dispose     any → disposed; its work is free for others
"""

from enum import StrEnum

from whimbrel.records.verdict import ACCEPTED, Verdict, refused


class MigrantState(StrEnum):
    CREATED = "created"
    ACTIVE = "active"
    MOVING = "moving"
    ASLEEP = "asleep"
    WOKEN = "woken"
    LOST = "lost"
    DISPOSED = "disposed"


class Verb(StrEnum):
    CREATE = "create"
    CLONE = "clone"
    DISPATCH = "dispatch"
    RETRACT = "retract"
    DEACTIVATE = "deactivate"
    ACTIVATE = "activate"
    DISPOSE = "dispose"


ALIVE = frozenset((MigrantState.CREATED, MigrantState.ACTIVE, MigrantState.MOVING))

_FROM: dict[Verb, frozenset[MigrantState]] = {
    Verb.CREATE: frozenset(),  # it leads from nothing
    Verb.CLONE: frozenset((MigrantState.ACTIVE,)),
    Verb.DISPATCH: frozenset((MigrantState.ACTIVE,)),
    Verb.RETRACT: frozenset((MigrantState.ACTIVE,)),
    Verb.DEACTIVATE: frozenset((MigrantState.ACTIVE,)),
    Verb.ACTIVATE: frozenset((MigrantState.ASLEEP,)),
    Verb.DISPOSE: frozenset((MigrantState.CREATED, MigrantState.ACTIVE, MigrantState.ASLEEP)),
}


def judge(name: str, state: MigrantState, verb: Verb) -> Verdict:
    """Whether the verb may be applied to a migrant in this state."""
    if state in _FROM[verb]:
        return ACCEPTED
    possible = " or ".join(sorted(_FROM[verb]))
    return refused("state", f"{name} is {state}; `{verb}` needs one that is {possible}")
