"""What readers do, counted: for whoever holds the folder's key, on this machine too."""

import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.readers.counting import Counting
from whimbrel.records.deed import PAPERS, Action
from whimbrel.web.charts import Series, over_days
from whimbrel.web.desk import Desk
from whimbrel.web.me_page import NAMES, SECONDS
from whimbrel.web.presentation import ago, page

DAYS = 30
SHOWN_READERS = 200
_KINDS = {
    "opened": (Action.OPENED,),
    "read": (Action.SCROLL, Action.CLICK, Action.KEY_UP, Action.KEY_DOWN, Action.FIND),
    "kept": (Action.COPY, Action.FAVOURITE, Action.PRINT, Action.SAVE, Action.STARS),
    "went on": (
        Action.HYPERLINK,
        Action.BACK,
        Action.FORWARD,
        Action.HOME,
        Action.OPEN_URL,
        Action.STOP,
        Action.REFRESH,
    ),
}
"""What a day is drawn by."""


def statistics(request: Request) -> Response:
    if not request.state.is_owner:
        return RedirectResponse("/login?next=/statistics", 303)
    desk: Desk = request.app.state.desk
    now = time.time()
    text = request.query_params.get("reader", "")
    chosen = int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None
    counting = Counting(desk.log)
    actions = counting.actions(chosen)
    days = counting.days(DAYS, now, chosen)
    series = [
        Series(name, tuple(float(sum(day.get(action, 0) for action in kinds)) for day in days))
        for name, kinds in _KINDS.items()
    ]
    return page(
        request,
        "statistics.html",
        here="statistics",
        q="",
        chosen=chosen,
        papers=[(NAMES[each.action], each) for each in actions if each.action in PAPERS],
        others=[(NAMES[each.action], each, each.action in SECONDS) for each in actions if each.action not in PAPERS],
        most=max((each.count for each in actions if each.action in PAPERS), default=0) or 1,
        readers=[(each, ago(each.since, now)) for each in counting.readers(SHOWN_READERS)],
        chart=over_days(f"The last {DAYS} days", series),
        total=sum(each.count for each in actions),
    )
