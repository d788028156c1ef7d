"""The form of a page that lets people in: what it would send, and where."""

from msgspec import Struct
from turbohtml import Element

from whimbrel.parse.document import tree_of

_SENDS = "input[type=submit], button"


class LoginForm(Struct, frozen=True):
    """`values` are what the form holds by itself, hidden marks against forgery among them; `passwords` the names of the
    fields that are not shown while they are typed."""

    action: str
    posts: bool
    values: tuple[tuple[str, str], ...]
    passwords: frozenset[str]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.values]


def forms_in(body: bytes, content_type: str) -> list[LoginForm]:
    """All forms of a page."""
    return [_form(one) for one in tree_of(body, content_type)[0].find_all("form")]


def form_for(forms: list[LoginForm], fields: frozenset[str]) -> LoginForm | None:
    """The form that has all of these fields: of several the one that asks for a password, as people would choose."""
    fitting = [form for form in forms if fields.issubset(form.names)]
    return max(fitting, key=lambda form: bool(form.passwords), default=None)


def _form(form: Element) -> LoginForm:
    secret = form.select("input[type=password]")
    return LoginForm(
        action=form.attr("action") or "",
        posts=(form.attr("method") or "").strip().lower() == "post",
        values=(*form.form_data(), *_button(form)),
        passwords=frozenset(name for one in secret if (name := one.attr("name"))),
    )


def _button(form: Element) -> list[tuple[str, str]]:
    """Some forms count as sent only with the button that sends them: the first, which the enter key means."""
    for one in form.select(_SENDS):
        if (one.attr("type") or "submit").strip().lower() == "submit":
            name = one.attr("name")
            return [(name, one.attr("value") or "")] if name else []
    return []
