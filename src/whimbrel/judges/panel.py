"""Several judges of pages as one: a page is wanted where the rule over them holds that the user wrote. It goes to the
rarest request."""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import attrgetter, or_
from typing import Any

from msgspec import Struct, structs

from whimbrel.judges.judge import Look, Need, PageJudge, Sight
from whimbrel.judges.prospects import Prospects
from whimbrel.judges.rule import JudgeNamed, Rule, holds, named_in
from whimbrel.records.request import RULE, WORDS_RULE, Fitted
from whimbrel.records.task import Task
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.records.visit import Link

_KEPT_FOR = {RULE: "built as asked for", WORDS_RULE: "with the words asked for"}
"""What is said of a page where its judge says nothing, and others might have kept it."""


class Looked(Struct, frozen=True):
    """What the panel makes of a page: whether it is wanted, by which requests, the rarest first, and what each judge
    saw of it, by its rule."""

    verdict: Verdict
    numbers: list[int]
    looks: Mapping[str, Look[Any]]

    @property
    def relearned(self) -> bool:
        return any(look.relearned for look in self.looks.values())

    @property
    def near(self) -> bool:
        return any(look.near for look in self.looks.values())


class Panel:
    """The judges of a brief."""

    def __init__(self, judges: Sequence[PageJudge[Any]], rule: Rule, written: str = "") -> None:
        """`rule` is over the judges, `written` as the user wrote it where that is to be told; requests of one kind have
        one judge, and one of them is enough."""
        self._rule = rule
        self._asked = {one.judge for one in named_in(rule)}
        self._written = written
        self._judges = {judge.rule: judge for judge in judges}
        self._prospects: Prospects[Task] = Prospects(attrgetter("key"), self._promise)
        self._seen = 0
        self.needs: Need = reduce(or_, (judge.needs for judge in judges), Need(0))

    def look(self, sight: Sight) -> Looked:
        self._seen += 1
        return self._looked({rule: judge.look(sight) for rule, judge in self._judges.items()})

    @property
    def judges_words(self) -> bool:
        """Whether what has no elements can be wanted: the rule may hold though some judges cannot look at it."""
        blind = {rule for rule, judge in self._judges.items() if not _by_words(judge)}
        return (
            len(blind) < len(self._judges)
            and holds(self._rule, lambda one: False if one.judge in blind else None) is not False
        )

    def look_at_words(self, sight: Sight) -> Looked:
        """What has a text and no elements, by those judges that can do without."""
        self._seen += 1
        looks = {rule: judge.look(sight) for rule, judge in self._judges.items() if _by_words(judge)}
        return self._looked(looks)

    def blind(self, mime: str, why: str = "is no web page: only those are judged") -> Verdict:
        """What is said of a document that cannot be read here."""
        return refused(next(iter(self._judges)), f"{mime} {why}")

    def again(self, packed: Mapping[str, bytes]) -> Looked | None:
        """A page of which the judges once packed what they need; None where it rests on one of today's that was not
        asked then."""
        looks = {rule: judge.again(packed[rule]) for rule, judge in self._judges.items() if rule in packed}
        told = holds(self._rule, lambda one: _wants(looks[one.judge], one) if one.judge in looks else None)
        return None if told is None else self._looked(looks)

    def stands(self, key: int) -> bool:
        """Whether a page that was refused would be refused again, as far as that is known without a look."""
        return all(judge.stands(key) for judge in self._judges.values())

    def pack(self, looked: Looked) -> dict[str, bytes]:
        """Empty where no judge could judge it again."""
        packed = {rule: self._judges[rule].pack(look) for rule, look in looked.looks.items()}
        return {rule: one for rule, one in packed.items() if one}

    def sort(self, looked: Looked) -> int:
        rule, look = next(iter(looked.looks.items()))
        return self._judges[rule].sort(look)

    def done(self, number: int) -> None:
        for judge in self._judges.values():
            judge.done(number)

    def fitted(self) -> list[Fitted]:
        return [fit for judge in self._judges.values() for fit in judge.fitted()]

    def notes(self) -> list[str]:
        return [note for judge in self._judges.values() for note in judge.notes()]

    def _looked(self, looks: Mapping[str, Look[Any]]) -> Looked:
        """Whoever cannot look at a page does not want it. A page goes to requests of judges that the rule names."""
        asked = {rule: look for rule, look in looks.items() if rule in self._asked}
        if holds(self._rule, lambda one: one.judge in asked and _wants(asked[one.judge], one)):
            return Looked(_kept_for(asked), _numbers(asked), looks)
        against = [look.verdict for look in asked.values() if not look.verdict.accepted]
        reasons = [verdict.reason for verdict in against]
        if self._written:
            reasons.append(f"asked for is: {self._written}")
        rule = against[0].rule if against else next(iter(asked or looks), "")
        return Looked(refused(rule, "; ".join(reasons)), [], looks)

    # Links.

    def scored(self, links: list[Link], looked: Looked) -> list[Link]:
        """The links that home hears of, with what they promise."""
        scores = [(link, self._score(link, looked)) for link in links]
        return [link if score is None else structs.replace(link, score=score) for link, score in scores]

    def _score(self, link: Link, looked: Looked) -> float | None:
        scores = [self._judges[rule].score(look, link.key) for rule, look in looked.looks.items()]
        return max((score for score in scores if score is not None), default=None)

    def _promise(self, task: Task) -> float:
        return max([judge.promise(task.key, task.url) for judge in self._judges.values()])

    def by_promise(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks at hand, those whose links promise most first."""
        return self._prospects.ordered(tasks, self._seen)

    def freshen(self, queue: deque[Task]) -> None:
        """Before a task is taken: what has been learned since they were put in order counts."""
        self._prospects.freshen(queue, self._seen)


def _by_words(judge: PageJudge[Any]) -> bool:
    return not judge.needs & (Need.TREE | Need.IMAGES)


def _wants(look: Look[Any], one: JudgeNamed) -> bool:
    return look.trace == one.code if one.code else look.verdict.accepted


def _kept_for(looks: Mapping[str, Look[Any]]) -> Verdict:
    silent = _KEPT_FOR if len(looks) > 1 else {}
    said = [look.verdict.reason or silent.get(rule, "") for rule, look in looks.items() if look.verdict.accepted]
    reasons = [reason for reason in said if reason]
    return Verdict(True, "", "; ".join(reasons)) if reasons else ACCEPTED


def _numbers(looks: Mapping[str, Look[Any]]) -> list[int]:
    serves = [one for look in looks.values() for one in look.serves]
    return [one.number for one in sorted(serves, key=lambda one: (-one.rarity, one.number))]
