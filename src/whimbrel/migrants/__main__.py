"""A migrant's process: `python -m whimbrel.migrants CONNECTION MARK NAME KEY`: two inherited file descriptors, the name
that is the migrant's for life, and home's public key.

Exit codes: 0 when home said halt or closed the connection, 70 when a visit broke, 76 when home broke the contract.
"""

import gc
import os
import signal
import sys


def main() -> None:
    # Ctrl-C reaches the whole process group; when to stop is home's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Loading and parsing make no cycles but a great many objects, among which the collector would look for some all
    # the time; `Host.pulse` collects now and then instead.
    gc.disable()
    from whimbrel.migrants.host import Passport
    from whimbrel.migrants.session import run

    gc.freeze()
    if cores := os.environ.get("WHIMBREL_CORES"):
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    connection, mark, name, key = sys.argv[1:5]
    run(int(connection), int(mark), Passport(name, bytes.fromhex(key), os.environ.get("WHIMBREL_SHELF", "")))


if __name__ == "__main__":
    main()
