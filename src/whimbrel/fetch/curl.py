"""Drives curl's multi interface on the running event loop.

All sockets of curl sit in one epoll object of ours, and the loop watches only that: one wake-up serves every
socket that has something, and a kept-alive connection stays registered between requests.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable
from select import EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT, epoll
from typing import Any

import pycurl

INTEREST = {
    pycurl.POLL_NONE: 0,
    pycurl.POLL_IN: EPOLLIN,
    pycurl.POLL_OUT: EPOLLOUT,
    pycurl.POLL_INOUT: EPOLLIN | EPOLLOUT,
}
EVENTS_A_WAKE = 256

Done = Callable[[Any, int, str], None]


class CurlLoop:
    """Starts handles and calls `done(handle, code, message)` for each that has ended.

    `sticky` leaves an idle socket registered, because the next request on it will want the same. It may only be
    asked for where `opened` is told of every socket: curl opens others when it has a proxy's name to resolve.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, connections: int, done: Done, sticky: bool) -> None:
        self._loop = loop
        self._done = done
        self._sticky = sticky
        self._epoll = epoll()
        self._wanted: dict[int, int] = {}
        self._registered: dict[int, int] = {}
        self._active = 0
        self._running = 0
        self._kicked = False
        self._deadline = math.inf
        self._armed_for = math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections)
        loop.add_reader(self._epoll.fileno(), self._serve_sockets)

    def start(self, handle: Any) -> None:
        self._active += 1
        self._multi.add_handle(handle)

    def abandon(self, handle: Any) -> None:
        self._active -= 1
        self._multi.remove_handle(handle)

    def close(self) -> None:
        """Every handle has to be abandoned or done before."""
        self._closed = True
        self._loop.remove_reader(self._epoll.fileno())
        if self._timer is not None:
            self._timer.cancel()
        self._multi.close()
        self._epoll.close()

    def opened(self, fd: int) -> None:
        """A new socket may bear the number of a closed one, which the kernel took out of the epoll set."""
        self._registered.pop(fd, None)
        os.set_inheritable(fd, False)

    def _watch(self, what: int, fd: int, _multi: Any, _data: Any) -> None:
        if what == pycurl.POLL_REMOVE:
            self._wanted.pop(fd, None)
            if not self._sticky:
                self._forget(fd)
            return
        interest = INTEREST[what]
        self._wanted[fd] = interest
        registered = self._registered.get(fd)
        if registered == interest:
            return
        self._registered[fd] = interest
        try:
            if registered is None:
                self._epoll.register(fd, interest)
            else:
                self._epoll.modify(fd, interest)
        except FileExistsError:
            self._epoll.modify(fd, interest)
        except FileNotFoundError:
            self._epoll.register(fd, interest)

    def _serve_sockets(self) -> None:
        wanted = self._wanted
        action = self._multi.socket_action
        for fd, events in self._epoll.poll(0, EVENTS_A_WAKE):
            if fd not in wanted:
                self._forget(fd)
                continue
            if events == EPOLLIN:
                mask = 1
            else:
                mask = (1 if events & EPOLLIN else 0) | (2 if events & EPOLLOUT else 0)
                if events & (EPOLLERR | EPOLLHUP):
                    mask |= 4
            self._running = action(fd, mask)[1]
        if self._running < self._active:
            self._reap()

    def _forget(self, fd: int) -> None:
        """An idle connection with something to say was closed by the server, which curl finds out on its own."""
        self._registered.pop(fd, None)
        try:
            self._epoll.unregister(fd)
        except OSError:
            return

    def _set_timer(self, milliseconds: int) -> None:
        if milliseconds == 0:
            if not self._kicked:
                self._kicked = True
                self._loop.call_soon(self._kick)
            return
        if milliseconds < 0:
            self._deadline = math.inf
            return
        self._deadline = self._loop.time() + milliseconds / 1000
        if self._deadline < self._armed_for:
            self._arm()

    def _arm(self) -> None:
        """A timer that is early re-arms itself; moving it for every request would cost more."""
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = self._deadline
        self._timer = self._loop.call_at(self._deadline, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._armed_for = math.inf
        if self._loop.time() >= self._deadline:
            self._deadline = math.inf
            self._kick()
        elif self._deadline < math.inf:
            self._arm()

    def _kick(self) -> None:
        self._kicked = False
        if self._closed:
            return
        self._running = self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)[1]
        if self._running < self._active:
            self._reap()

    def _reap(self) -> None:
        remove = self._multi.remove_handle
        while True:
            queued, succeeded, failed = self._multi.info_read(EVENTS_A_WAKE)
            for handle in succeeded:
                self._active -= 1
                remove(handle)
                self._done(handle, 0, "")
            for handle, code, message in failed:
                self._active -= 1
                remove(handle)
                self._done(handle, code, message)
            if not queued:
                return
