"""The name of a page."""

from typing import NewType

Url = NewType("Url", str)
"""An absolute http(s) URL in normal form (`urls.normal`): no user info, no fragment. Equal text, same URL."""
