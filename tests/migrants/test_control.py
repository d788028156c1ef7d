"""The socket in a crawl's folder comes and goes quietly."""

import asyncio
from pathlib import Path

import pytest

from whimbrel.migrants.home.control import NAME, Answer, Control


def test_a_closed_socket_is_gone_and_no_word_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def respond(request: Answer) -> Answer:
        return request

    async def open_and_close() -> None:
        control = Control(tmp_path, respond)
        await control.open()
        assert (tmp_path / NAME).is_socket()
        with (tmp_path / "other").open("w"):  # takes the number that the folder's descriptor had
            await control.close()

    asyncio.run(open_and_close())
    assert not (tmp_path / NAME).exists()
    assert caplog.messages == []
