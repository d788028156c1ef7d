"""What is asked of the kept copies of pages, whoever keeps them."""

from typing import Protocol

from whimbrel.repository.warc import Content


class KeptCopies(Protocol):
    def copy(self, version: int) -> Content | None: ...
    def passing(self, version: int) -> tuple[bytes, int]: ...
    def neighbours(self, lane: int, key: int, most: int) -> list[Content]: ...
