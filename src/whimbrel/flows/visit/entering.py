"""A page's index entry instead of the page: made where the page is, for a home to which bytes are dear."""

from msgspec.structs import replace

from whimbrel.dedupe import exact
from whimbrel.flows.visit.recording import media_type
from whimbrel.parse.document import tree_of
from whimbrel.parse.prominence import about, prominent
from whimbrel.records.entry import ENTRY_RULE, MOST_CHARACTERS, MOST_WORDS, PageEntry
from whimbrel.records.response import Response
from whimbrel.records.task import NO_VALIDATORS, Task
from whimbrel.records.visit import Outcome, Visit

_HTML = ("text/html", "application/xhtml+xml")
REASON = "its index entry came first; its body is where it was read, and comes when it is asked for"


def may_enter(task: Task, visit: Visit, response: Response) -> bool:
    """A page that would be kept, of which home has nothing, and that nobody named."""
    unknown = task.depth > 0 and task.validators == NO_VALIDATORS and not task.asset and not task.sitemap
    kept = visit.outcome is Outcome.FETCHED and visit.document is not None and not visit.private
    return unknown and kept and media_type(response) in _HTML


def entered(visit: Visit, response: Response) -> tuple[Visit, PageEntry]:
    """The visit without the page, whose links are followed all the same, and what stands for the page."""
    document = visit.document
    assert document is not None, "looked at before"
    tree, _ = tree_of(response.body, response.headers.get("content-type", ""))
    entry = PageEntry(
        visit.key, document.title[:MOST_CHARACTERS], about(tree, MOST_CHARACTERS), document.language,
        exact.digest(response.body), prominent(tree, document.title, document.language, MOST_WORDS),
    )  # fmt: skip
    without = replace(
        visit, outcome=Outcome.REFUSED, rule=ENTRY_RULE, reason=REASON, document=None, archived=None, head=b""
    )
    return without, entry
