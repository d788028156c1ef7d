"""Changes on their way to a webhook: each is posted at least once, in order, whatever ends the program in between.

A message has a number. What it will hold is written down before it is posted, and that it was taken afterwards; so a
message whose answer was lost is posted again with the same number and the same changes, and a receiver that has seen
the number can drop it. Kept in `webhooks.json`, by a digest of the address, which may hold a secret.
"""

import json
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace
from xxhash import xxh3_64_hexdigest

from whimbrel.flows.telling.hearing import Hearing
from whimbrel.flows.telling.progress_file import ProgressFile
from whimbrel.flows.telling.saying import as_object
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Position, Site

NAME = "webhooks.json"
LOCK = "webhooks.lock"
MOST_CHANGES = 500
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 60.0, 3600.0


class Taken(Struct, frozen=True):
    """The receiver has the message."""


class NotTaken(Struct, frozen=True):
    """`wait_seconds` is what the receiver asked for, None where it asked for nothing."""

    reason: str
    wait_seconds: float | None = None


Post = Callable[[bytes, int], Taken | NotTaken]


class HookProgress(Struct, frozen=True):
    """How far a webhook has come. `under_way` is the end of message `sequence`, from before it is posted until it was
    taken; `failures` are those in a row."""

    done: Position
    sequence: int = 1
    under_way: Position | None = None
    failures: int = 0
    not_before: float = 0.0


class Delivered(Struct, frozen=True):
    """What was taken, what is left, and what stood in the way."""

    messages: int = 0
    changes: int = 0
    left: bool = False
    problem: str = ""


class Webhook:
    """The webhook of one address for one folder, or for one site in it."""

    def __init__(self, where: Where, address: str, site: Site | None, since: float) -> None:
        self._where = where
        self._folder = located(where).beside
        self._name = xxh3_64_hexdigest(f"{address} {site}".encode())
        self._site = site
        self._since = since
        self._file = ProgressFile(self._folder, NAME, LOCK, HookProgress, "posting")

    def deliver(self, post: Post, now: float, *, waits: bool) -> Delivered:
        """Posts what is new, message by message, until one is not taken. With `waits` nothing is posted before a
        receiver that failed has had its rest."""
        with self._file.locked(), open_reader(self._where) as changes:
            hooks = self._file.read()
            hook = hooks.get(self._name) or HookProgress(changes.position_before(self._since))
            if waits and now < hook.not_before:
                return Delivered(left=True)
            sent = Delivered()
            while True:
                hook, answer, count = self._next(changes, hooks, hook, post)
                if answer is None:
                    return sent
                if isinstance(answer, NotTaken):
                    self._file.write(hooks | {self._name: _failed(hook, answer, now)})
                    return replace(sent, left=True, problem=answer.reason)
                self._file.write(hooks | {self._name: hook})
                sent = replace(sent, messages=sent.messages + 1, changes=sent.changes + count)

    def _next(
        self, changes: Reader, hooks: dict[str, HookProgress], hook: HookProgress, post: Post
    ) -> tuple[HookProgress, Taken | NotTaken | None, int]:
        """One message, where there is something to tell; stretches without changes are passed over."""
        last = changes.position()
        # What was erased since takes its numbers along.
        done = Position(min(hook.done.change, last.change), min(hook.done.version, last.version))
        while done != last or hook.under_way is not None:
            end = hook.under_way or changes.position_after(done, MOST_CHANGES)
            # What took a password to read is not sent on to others.
            told = [one for one in changes.told_between(done, end, self._site) if not changes.has_private(one.url)]
            told = Hearing(changes).heard(told, silenced=False, unseen=False)
            if told:
                self._file.write(hooks | {self._name: replace(hook, done=done, under_way=end)})
                message = {
                    "folder": self._folder.name, "sequence": hook.sequence, "changes": [as_object(one) for one in told],
                }  # fmt: skip
                answer = post(json.dumps(message).encode(), hook.sequence)
                if isinstance(answer, NotTaken):
                    return replace(hook, done=done, under_way=end), answer, 0
                return HookProgress(end, hook.sequence + 1), answer, len(told)
            hook, done = replace(hook, under_way=None), end
        self._file.write(hooks | {self._name: replace(hook, done=done)})
        return hook, None, 0


def _failed(hook: HookProgress, answer: NotTaken, now: float) -> HookProgress:
    wait = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**hook.failures)
    return replace(hook, failures=hook.failures + 1, not_before=now + max(wait, answer.wait_seconds or 0.0))
