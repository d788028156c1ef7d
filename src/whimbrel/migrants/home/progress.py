"""How a run goes; the display and the summary read it."""

from collections import Counter

from msgspec import Struct, field

from whimbrel.flows.gather.deciding import Gathered
from whimbrel.flows.listing import USUAL_PLACE_RULE
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.visit import Outcome
from whimbrel.topic.harvest import HarvestWatch

MOST_NOTES = 200
_TURNED: dict[str, str] = {Outcome.DUPLICATE: Outcome.FETCHED, Outcome.FETCHED: Outcome.DUPLICATE}


class Progress(Struct):
    """Counted since the run began; `pages` are those of the folder, `beside` what was fetched and is no page."""

    began: float
    pages: int = 0
    visits: int = 0
    kept: int = 0
    bytes: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    beside: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    standings: Counter[str] = field(default_factory=Counter)
    retries: int = 0
    queued: int = 0
    in_flight: int = 0
    hosts_waiting: int = 0
    hosts_at_work: int = 0
    next_ready_seconds: float = 0.0
    idle_until: float = 0.0
    """By the clock of the day, while nobody has anything to do before then."""
    awaited: dict[str, float] = {}
    """Places that work waits for, and until when by the clock of the day."""
    notes: list[str] = []
    refused_logins: dict[str, str] = {}
    """Sites that answered a login with a no, and what they said."""
    migrant_cpu_seconds: float = 0.0
    deaths: int = 0
    replaced: int = 0
    turned_down: int = 0
    judged: int = 0
    relevant: int = 0
    lately: float = 0.0
    """Of a run that was sent out for some pages alone: those that judges saw, those they wanted, and the share of
    wanted ones among the last."""

    def hear(self, pulses: list[wire.Pulse], notes: list[str]) -> None:
        """What the migrants say of themselves, and what the last of them noticed."""
        self.in_flight = sum(pulse.in_flight for pulse in pulses)
        self.hosts_waiting = sum(pulse.hosts_waiting for pulse in pulses)
        self.next_ready_seconds = min((pulse.next_ready_seconds for pulse in pulses), default=0.0)
        if len(self.notes) < MOST_NOTES:
            self.notes += [note for note in notes if note not in self.notes]

    def note_harvest(self, harvest: HarvestWatch) -> None:
        self.judged, self.relevant, self.lately = harvest.judged, harvest.relevant, harvest.recent

    def tally(self, gathered: Gathered) -> None:
        """What a commit brought."""
        plan = gathered.plan
        self.pages = gathered.pages
        self.replaced += gathered.replaced
        self.turned_down += gathered.turned_down
        counted = [settled for settled in plan.settled if settled.rule != USUAL_PLACE_RULE]
        self.visits += len(counted)
        self.retries += len(plan.postponed)
        self.standings.update(gathered.standings)
        self.beside.update(gathered.beside)
        for settled in counted:
            self.outcomes[settled.outcome] += 1
            if settled.outcome in (Outcome.FAILED, Outcome.UNREACHABLE):
                self.errors[settled.rule] += 1
        for outcome in (became.outcome for became in plan.outcomes.values()):
            # A twin came that precedes a page counted before, or one counted as a twin survives after all.
            former = _TURNED.get(outcome)
            if former is not None and self.outcomes[former]:
                self.outcomes[former] -= 1
                self.outcomes[outcome] += 1
        for kind, traffic in plan.traffic.items():
            self.bytes[kind] += traffic.bytes
