"""What a migrant is asked to fetch."""

from msgspec import Struct

from whimbrel.records.url import Url


class Validators(Struct, frozen=True, array_like=True):
    """What the server said to tell an unchanged document by."""

    etag: str = ""
    last_modified: str = ""


NO_VALIDATORS = Validators()


class Task(Struct, frozen=True, array_like=True):
    """One URL to visit. `depth` is its distance from the nearest seed, `hops` the redirects that led to it."""

    key: int
    url: Url
    depth: int
    hops: int
    attempt: int
    asset: bool
    validators: Validators = NO_VALIDATORS
    sitemap: bool = False
