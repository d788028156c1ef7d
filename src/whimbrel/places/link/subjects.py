"""The names under which messages travel, and who may use which: a place its own, and nobody else's."""

import re

PLACE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
ROOT = "whimbrel"


def down(place: str, rest: str) -> str:
    """To a place."""
    return f"{ROOT}.{place}.down.{rest}"


def up(place: str, rest: str) -> str:
    """From a place."""
    return f"{ROOT}.{place}.up.{rest}"


def door(invitation: str, direction: str) -> str:
    """By which whoever holds an invitation asks to be let in, and is answered."""
    return f"{ROOT}-door.{invitation}.{direction}"


def rights(publish: list[str], subscribe: list[str]) -> dict[str, object]:
    """What a user may do, as claims say it: no subject that is not named here."""
    return {
        "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
        "pub": {"allow": publish}, "sub": {"allow": subscribe},
    }  # fmt: skip


def place_rights(place: str) -> dict[str, object]:
    return rights([up(place, ">")], [down(place, ">")])


def door_rights(invitation: str) -> dict[str, object]:
    return rights([door(invitation, "knock")], [door(invitation, "answer")])


def home_rights() -> dict[str, object]:
    return rights([f"{ROOT}.>", f"{ROOT}-door.>"], [f"{ROOT}.>", f"{ROOT}-door.>"])
