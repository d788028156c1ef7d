"""Whimbrel keeps a fresh, duplicate-free, searchable copy of the sites you care about.

As a library it is two names: `crawl`, which gives visits as they become durable, and `text_of` a visit. Both are
imported when they are first asked for, so that `import whimbrel` and `whimbrel --version` cost next to nothing.
"""

__version__ = "0.1.0"
__all__ = ["__version__", "crawl", "text_of"]

# The name is known to type checkers; importing it from `typing` would cost more than this whole module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from whimbrel.api import crawl, text_of


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'whimbrel' has no attribute {name!r}")
    from whimbrel import api

    return getattr(api, name)
