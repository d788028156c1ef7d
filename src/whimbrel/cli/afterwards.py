"""What `crawl` and `refresh` say at the end: what was not seen or is missing, what sitemaps said in vain, and
near-twins."""

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import to_builtins

from whimbrel.cli.lines import Lines
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.flows.telling.fates import Fate
    from whimbrel.flows.telling.unseen import Unseen
    from whimbrel.flows.twins.after import TwinsFollowed

RULES_SHOWN = 3
SITEMAPS_SHOWN = 5
MISSING_SHOWN = 10
NAMED_SHOWN = 10
_LEFT_ALONE = ("stopped", "killed")


def tell_sitemaps(folder: Path, since: float, lines: Lines) -> None:
    """What was left out of the sitemaps read since then, or why one was not read at all."""
    from whimbrel.repository.engines import open_reader

    with open_reader(folder) as reader:
        notes = reader.sitemap_notes(since)
    for url, note in notes[:SITEMAPS_SHOWN]:
        lines.say(f"sitemap {harmless(url)}: {harmless(note)}", "yellow")
    if len(notes) > SITEMAPS_SHOWN:
        lines.say(f"{number(len(notes) - SITEMAPS_SHOWN)} more sitemaps could be read only in part")


class Missed(NamedTuple):
    """What the folder does not hold; `shells`: all that it holds are pages that scripts were to make."""

    unseen: "list[Unseen]"
    shells: bool


def missed(folder: Path, pages: int) -> Missed:
    from whimbrel.flows.telling.unseen import only_shells, unseen
    from whimbrel.repository.engines import open_reader

    with open_reader(folder) as reader:
        rules, unvisited = reader.rules(), reader.unvisited()
    return Missed(unseen(rules, unvisited), only_shells(rules, pages))


def tell_unseen(unseen: "list[Unseen]", lines: Lines) -> None:
    """Nothing is left out without a word, and no word without what to do."""
    lines.table([("not seen", f"{number(one.count)} {one.what}. {one.advice}") for one in unseen], dim=True)


def tell_named(named: "list[Fate]", lines: Lines) -> None:
    """A sentence for each URL of this command that is not here."""
    lacking = [fate for fate in named if not fate.here]
    for fate in lacking[:NAMED_SHOWN]:
        lines.say(harmless(fate.sentence()), "yellow")
    if len(lacking) > NAMED_SHOWN:
        lines.say(f"{number(len(lacking) - NAMED_SHOWN)} more of the URLs named are not kept")


def tell_missing(folder: Path, lines: Lines) -> list[object]:
    """Names the pages that may be gone, and says when that is known; as objects for scripts."""
    from whimbrel.cli.folder import moment
    from whimbrel.flows.refresh.absent import missing
    from whimbrel.repository.engines import open_reader

    with open_reader(folder) as reader:
        absent = missing(reader)
    for one in absent[:MISSING_SHOWN]:
        when = f"asked again {moment(one.asked_again_at)[:-3]} UTC" if one.asked_again_at else "asked again when due"
        lines.say(f"missing: {harmless(one.url)}", "yellow")
        lines.say(f"  {harmless(one.reason)}, {when}")
    if len(absent) > MISSING_SHOWN:
        lines.say(f"and {number(len(absent) - MISSING_SHOWN)} more are missing; `whimbrel changes` lists them")
    if absent:
        lines.say("`whimbrel refresh --confirm` asks for them now")
    return [to_builtins(one) for one in absent]


def follow(folder: Path, ended: str, run_seconds: float, most_seconds: float, lines: Lines) -> "TwinsFollowed | None":
    """Looks for near-twins unless the user wants to leave; whatever goes wrong here, the run is safe and done."""
    if ended in _LEFT_ALONE or most_seconds <= 0:
        return None
    from whimbrel.flows.twins.after import allowed_seconds
    from whimbrel.flows.twins.after import follow as follow_for
    from whimbrel.repository.contract import FolderBusy, RepositoryError

    try:
        followed = follow_for(folder, allowed_seconds(run_seconds, most_seconds), time.time())
    except KeyboardInterrupt:
        lines.say("near-twins: interrupted; `whimbrel twins` goes on from there")
    except FolderBusy:
        return None  # whoever holds it finds them
    except (RepositoryError, sqlite3.Error, OSError) as error:
        lines.say(f"near-twins were not looked for: {harmless(str(error))}", "yellow")
    else:
        if words := sentence(followed):
            lines.say(words)
        return followed
    return None


def sentence(followed: "TwinsFollowed") -> str:
    """One line; "" where there is nothing to tell."""
    said = []
    if followed.twins:
        pages = "page is" if followed.twins == 1 else "pages are"
        said.append(f"{number(followed.twins)} {pages} nearly the same as others (`whimbrel twins` shows which)")
    for verb, rules in (("learned", followed.learned), ("withdrawn", followed.withdrawn)):
        if rules:
            more = f" and {number(len(rules) - RULES_SHOWN)} more" if len(rules) > RULES_SHOWN else ""
            said.append(f"{verb} for URLs: {harmless('; '.join(rules[:RULES_SHOWN]))}{more}")
    if followed.left:
        said.append(
            f"{number(followed.left)} visits are not compared yet; the next run does it, or `whimbrel twins` now"
        )
    return "near-twins: " + "; ".join(said) if said else ""
