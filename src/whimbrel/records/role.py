"""What a URL is to a crawl."""

from enum import IntEnum


class Role(IntEnum):
    """A page; a file that a page needs to be shown as it was; a sitemap, which is neither a page nor part of one."""

    PAGE = 0
    ASSET = 1
    SITEMAP = 2
