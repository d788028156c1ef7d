"""A migrant's process: `python -m whimbrel.migrants CONNECTION MARK NAME KEY`: two inherited file descriptors, the name
that is the migrant's for life, and home's public key.

Exit codes: 0 when home said halt or closed the connection, 70 when a visit broke, 76 when home broke the contract.
"""

import gc
import os
import signal
import sys
import traceback

VISIT_BROKEN = 70  # EX_SOFTWARE of sysexits.h
CONTRACT_BROKEN = 76  # EX_PROTOCOL


def main() -> None:
    # Ctrl-C reaches the whole process group; when to stop is home's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Loading and parsing make no cycles but a great many objects, among which the collector would look for some all
    # the time; `Migrant.pulse` collects now and then instead.
    gc.disable()
    import uvloop

    from whimbrel.migrants.away.session import BrokenVisit, Session
    from whimbrel.migrants.wire.channel import Passport
    from whimbrel.migrants.wire.local import inherited
    from whimbrel.migrants.wire.messages import WireError

    gc.freeze()
    if cores := os.environ.get("WHIMBREL_CORES"):
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    connection, mark, name, key = sys.argv[1:5]
    passport = Passport(name, bytes.fromhex(key), os.environ.get("WHIMBREL_SHELF", ""))

    async def serve() -> None:
        try:
            await Session(await inherited(int(connection), int(mark)), passport).run()
        except WireError as error:
            _end(CONTRACT_BROKEN, f"whimbrel migrant: {error}; home and migrants must be of the same release")
        except BrokenVisit as error:
            _end(VISIT_BROKEN, "".join(traceback.format_exception(error)))
        _end(0)

    uvloop.run(serve())


def _end(code: int, words: str = "") -> None:
    """Nobody is left to send anything to: cancelling visits and tearing down a large heap would only take time."""
    if words:
        sys.stderr.write(f"{words}\n")
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
