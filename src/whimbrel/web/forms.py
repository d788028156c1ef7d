"""What a form sent, or what is wrong with it."""

from urllib.parse import parse_qs

MOST_FIELDS = 100
LARGEST_BYTES = 64 * 1024
KIND = "application/x-www-form-urlencoded"


class BadForm(Exception):
    """The message is for whoever sent it; `status` is how it is answered."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def check_kind(content_type: str) -> None:
    """A form of another kind is refused by its kind, whether it is whole or broken."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in ("", KIND):
        raise BadForm(415, f"Forms are read here as {KIND}, not as {kind[:100]!r}.")


def fields(body: bytes) -> dict[str, str]:
    """The fields of a form; of one sent twice, the last."""
    try:
        read = parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except UnicodeDecodeError:
        raise BadForm(400, "This form is not written in UTF-8.") from None
    except ValueError:
        raise BadForm(400, f"This form has more than {MOST_FIELDS} fields; none here has as many.") from None
    return {name: values[-1] for name, values in read.items()}
