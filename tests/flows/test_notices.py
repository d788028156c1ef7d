"""Notices: nothing is lost, nothing that was taken comes twice, and nobody is flooded."""

import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from changing_folder import grow_changing
from whimbrel.flows.telling.digest import MOST_SHOWN, NoticeText, notice_of
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.news import NewsFilter
from whimbrel.flows.telling.notices import LONGEST_WAIT_SECONDS, NAME, Notices, NoticeWanted
from whimbrel.flows.telling.saying import moment as written
from whimbrel.flows.telling.webhook import Delivered, NotTaken, Taken
from whimbrel.records.hours import Hours, hours_of
from whimbrel.records.url import Url
from whimbrel.repository.contract import FolderBusy, RepositoryError
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.views import Told

NOW = 2e9
NOON = 12 * 60


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("noticed") / "folder"
    grow_changing(folder)
    return folder


@pytest.fixture
def folder(grown: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(grown, tmp_path / "folder", ignore=shutil.ignore_patterns("*.sock")))


def notices(folder: Path, begin: float | None = 0.0, **wanted: Any) -> Notices:
    made = Notices(folder, NoticeWanted("mailto://x", **({"choice": NewsFilter(private=False)} | wanted)))
    if begin is not None:
        made.begin(begin)
    return made


class Mailbox:
    def __init__(self, *answers: Taken | NotTaken) -> None:
        self._answers = list(answers) or [Taken()]
        self.taken: list[NoticeText] = []

    def __call__(self, notice: NoticeText) -> Taken | NotTaken:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Taken):
            self.taken.append(notice)
        return answer


def happen(folder: Path, *numbers: int) -> None:
    """A page goes; told by its number."""
    database = open_database(folder)
    database.execute("BEGIN")
    database.executemany(
        "INSERT INTO change (url, at, what, kinds, amount, details)"
        " SELECT url, ?, 'gone', '', 0, x'' FROM change LIMIT 1",
        [(1e9 + number,) for number in numbers],
    )
    database.execute("COMMIT")
    database.close()


def test_what_is_new_comes_in_one_notice_with_the_words(folder: Path) -> None:
    box = Mailbox()
    assert notices(folder).deliver(box, NOW, NOON) == Delivered(1, 4)
    (notice,) = box.taken
    assert notice.title.startswith("4 changes on 127.0.0.1")
    for words in ("Gone: Lost", "Changed: Bird", "+[A new line stands first.]", "eight", "Moved: Old", "New: Young"):
        assert words in notice.body, notice.body
    assert notices(folder).deliver(box, NOW, NOON) == Delivered()


def test_only_what_is_wanted_is_told_from_the_moment_one_asked(folder: Path) -> None:
    box = Mailbox()
    assert notices(folder, NOW).deliver(box, NOW, NOON) == Delivered()
    chosen = NewsFilter(kinds=frozenset({"changed"}), words="eight", private=False)
    assert notices(folder, choice=chosen, reader="http://127.0.0.1:8765/").deliver(box, NOW, NOON) == Delivered(1, 1)
    assert box.taken[0].title == "Changed: Bird"
    assert "http://127.0.0.1:8765/read?url=" in box.taken[0].body
    nothing = NewsFilter(words="nobody said this", private=False)
    assert notices(folder, choice=nothing).deliver(box, NOW, NOON) == Delivered()


def test_quiet_hours_and_a_limit_make_changes_wait_and_come_together(folder: Path) -> None:
    box = Mailbox()
    quiet = Hours(22 * 60, 7 * 60)
    telling = notices(folder, quiet=quiet, most_an_hour=1)
    assert telling.deliver(box, NOW, 23 * 60) == Delivered(left=True)
    assert telling.deliver(box, NOW, NOON) == Delivered(1, 4)
    for number in range(3):
        happen(folder, number)
        assert telling.deliver(box, NOW + number, NOON) == Delivered(left=True)
    assert telling.deliver(box, NOW + 3_600, NOON) == Delivered(1, 3)
    assert len(box.taken) == 2


def test_a_receiver_that_fails_gets_a_rest_and_then_all_of_it(folder: Path) -> None:
    box = Mailbox(NotTaken("refused"), NotTaken("refused"), Taken())
    telling, now = notices(folder), NOW
    assert telling.deliver(box, now, NOON) == Delivered(left=True, problem="refused")
    assert telling.deliver(box, now + 59, NOON) == Delivered(left=True)
    assert telling.deliver(box, now + 60, NOON).problem == "refused"
    happen(folder, 1)
    assert telling.deliver(box, now + LONGEST_WAIT_SECONDS, NOON) == Delivered(1, 5)


def test_sixty_kills_lose_no_notice_and_repeat_none_that_was_confirmed(folder: Path) -> None:
    """A kill comes before a notice goes out, after it and before that is written down, or after all of it."""
    chance = random.Random(7)
    notices(folder).deliver(Mailbox(), NOW, NOON)
    heard: list[str] = []
    confirmed: set[str] = set()
    for number in range(60):
        happen(folder, number)
        moment = chance.choice(("before", "after", "never"))
        sent: list[str] = []

        def send(notice: NoticeText, moment: str = moment, sent: list[str] = sent) -> Taken | NotTaken:
            if moment == "before":
                raise KeyboardInterrupt
            sent += [line for line in notice.body.splitlines() if line.startswith("20")]
            heard.extend(sent)
            if moment == "after":
                raise KeyboardInterrupt
            return Taken()

        if moment == "never":
            notices(folder, None, most_an_hour=1000).deliver(send, NOW + 60 * number, NOON)
            assert confirmed.isdisjoint(sent)
            confirmed.update(sent)
        else:
            with pytest.raises(KeyboardInterrupt):
                notices(folder, None, most_an_hour=1000).deliver(send, NOW + 60 * number, NOON)
    notices(folder, None, most_an_hour=1000).deliver(
        lambda notice: heard.append(notice.body) or Taken(), NOW + 1e5, NOON
    )
    told = "\n".join(heard)
    assert [number for number in range(60) if written(1e9 + number) not in told] == []


def test_ten_thousand_changes_are_one_notice() -> None:
    told = Told(NOW, "changed", Url(""), "", "content", 0.0, 1, 2, None, b"", "", "small")
    items = [
        FoldedChange(replace(told, url=Url(f"http://a.example/{n}"), title=f"Page\r\nBcc: x {n}", amount=n / 1e4))
        for n in range(10_000)
    ]
    notice = notice_of(items, "docs", "")
    assert notice.title == "10,000 changes on a.example (docs)"
    assert notice.body.count("Changed: ") == MOST_SHOWN
    assert "And 9,980 more: 9,980 changed." in notice.body
    assert len(notice.body) < 10_000
    assert notice_of(items[:1], "docs", "").title == "Changed: Page Bcc: x 0"


def test_ten_thousand_changes_in_a_folder_are_told_at_once_and_only_once(folder: Path) -> None:
    box = Mailbox()
    notices(folder).deliver(box, NOW, NOON)
    happen(folder, *range(10_000))
    assert notices(folder, None).deliver(box, NOW + 60, NOON) == Delivered(1, 10_000)
    assert "10,000 changes on" in box.taken[-1].title
    assert len(box.taken[-1].body) < 20_000
    assert notices(folder, None).deliver(box, NOW + 120, NOON) == Delivered()


def test_a_damaged_file_and_a_second_teller_are_said(folder: Path) -> None:
    (folder / NAME).write_text("{")
    with pytest.raises(RepositoryError, match="Remove it"):
        notices(folder, None).deliver(Mailbox(), NOW, NOON)
    (folder / NAME).unlink()

    def nested(notice: NoticeText) -> Taken:
        with pytest.raises(FolderBusy, match="telling"):
            notices(folder, None).deliver(Mailbox(), NOW, NOON)
        return Taken()

    notices(folder).deliver(nested, NOW, NOON)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("22-7", Hours(1320, 420)), ("22:30 - 06:00", Hours(1350, 360)), ("0-24", Hours(0, 1440)),
        ("7-7", None), ("25-3", None), ("22:75-3", None), ("night", None),
    ],
)  # fmt: skip
def test_quiet_hours_are_read(text: str, hours: Hours | None) -> None:
    assert hours_of(text) == hours


def test_quiet_hours_reach_over_midnight() -> None:
    night, noon = Hours(1320, 420), Hours(720, 780)
    assert [night.holds(minute) for minute in (1319, 1320, 0, 419, 420)] == [False, True, True, True, False]
    assert [noon.holds(minute) for minute in (719, 720, 779, 780)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (None, []), (NewsFilter(kinds=frozenset({"changed"}), words="eight"), ["Changed: Bird"]),
        (NewsFilter(words="nobody said this"), []),
    ],
)  # fmt: skip
def test_of_a_site_less_may_be_told_or_nothing_at_all(folder: Path, said: NewsFilter | None, told: list[str]) -> None:
    box = Mailbox()
    wanted = NoticeWanted("mailto://x", NewsFilter(private=False))
    Notices(folder, wanted).begin(0.0)
    Notices(folder, wanted, {"127.0.0.1": said}).deliver(box, NOW, NOON)
    assert [notice.title for notice in box.taken] == told
    assert Notices(folder, wanted).deliver(box, NOW, NOON) == Delivered()  # what was passed over stays so
