"""Does a site answer at all? Told once when it stops, once when it is back.

One page that fails says little of its site. It is away when none of the pages asked for since its last answer gave one,
that which had answered last among them: so that page is asked for before anything is told. A site that is away is asked
for that page alone, each time after as long as it has been away by then, so its return is known at the latest when it
has been away twice as long as it was.
"""

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.revisit.classes import DAY

LONGEST_REST_SECONDS = DAY


class Outage(Struct, frozen=True, array_like=True):
    """What is known of a site's answers. `answered` is the page that answered last, or that stands in for it where that
    is not known; `since` is the first visit without an answer after that, 0 while it answers, and `last_at` the latest.
    `is_away`: no page answers, and that was told."""

    answered: int | None = None
    since: float = 0.0
    last_at: float = 0.0
    is_away: bool = False

    @property
    def is_suspect(self) -> bool:
        """Some page did not answer, and it is not known whether any would."""
        return self.since > 0.0 and not self.is_away

    @property
    def asked_again_at(self) -> float:
        """When it is worth asking whether it is back."""
        return self.last_at + min(self.last_at - self.since, LONGEST_REST_SECONDS)


ANSWERING = Outage()


def after_answer(page: int) -> Outage:
    return Outage(page)


def after_silence(outage: Outage, page: int | None, at: float) -> Outage:
    """A visit to `page` that nobody answered; None where it was said of the whole site."""
    is_away = outage.is_away or page is None or page == outage.answered
    return replace(outage, since=outage.since or at, last_at=max(at, outage.last_at), is_away=is_away)
