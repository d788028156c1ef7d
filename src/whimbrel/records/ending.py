"""Why a run is over."""

from enum import StrEnum


class Why(StrEnum):
    """FINISHED: nothing is left in scope. LIMIT, TIME, BUDGET: as much as was asked for. HARVEST: the last pages
    brought next to nothing of what was asked for. WAITING: what is left has to wait longer than we do; SESSION: its
    credentials hold no more; ASLEEP: it is with migrants that sleep. STOPPED and KILLED were by hand."""

    FINISHED = "finished"
    LIMIT = "limit"
    TIME = "time"
    BUDGET = "budget"
    HARVEST = "harvest"
    WAITING = "waiting"
    SESSION = "session"
    ASLEEP = "asleep"
    STOPPED = "stopped"
    KILLED = "killed"
