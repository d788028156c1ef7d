"""What `crawl` and `refresh` say when they have ended: what was ignored in sitemaps, and near-duplicates."""

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING

from whimbrel.cli.lines import Lines
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.flows.near_after import Followed

RULES_SHOWN = 3
SITEMAPS_SHOWN = 5
_LEFT_ALONE = ("stopped", "killed")


def tell_sitemaps(folder: Path, since: float, lines: Lines) -> None:
    """What was left out of the sitemaps read since then, or why one was not read at all."""
    from whimbrel.repository.embedded.changes import Changes

    with Changes(folder) as reader:
        notes = reader.sitemap_notes(since)
    for url, note in notes[:SITEMAPS_SHOWN]:
        lines.say(f"sitemap {harmless(url)}: {harmless(note)}", "yellow")
    if len(notes) > SITEMAPS_SHOWN:
        lines.say(f"{number(len(notes) - SITEMAPS_SHOWN)} more sitemaps were not taken whole")


def follow(folder: Path, ended: str, run_seconds: float, most_seconds: float, lines: Lines) -> "Followed | None":
    """Looks for near-duplicates unless the user wants to leave; whatever goes wrong here, the run is safe and done."""
    if ended in _LEFT_ALONE or most_seconds <= 0:
        return None
    from whimbrel.flows.near_after import allowed_seconds
    from whimbrel.flows.near_after import follow as follow_for
    from whimbrel.repository.contract import FolderBusy, RepositoryError

    try:
        followed = follow_for(folder, allowed_seconds(run_seconds, most_seconds), time.time())
    except KeyboardInterrupt:
        lines.say("near-duplicates: interrupted; `whimbrel twins` goes on from there")
    except FolderBusy:
        return None  # whoever holds it finds them
    except (RepositoryError, sqlite3.Error, OSError) as error:
        lines.say(f"near-duplicates were not looked for: {harmless(str(error))}", "yellow")
    else:
        if words := sentence(followed):
            lines.say(words)
        return followed
    return None


def sentence(followed: "Followed") -> str:
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
        said.append(f"{number(followed.left)} visits are still to be compared: by the next run, or `whimbrel twins`")
    return "near-duplicates: " + "; ".join(said) if said else ""
