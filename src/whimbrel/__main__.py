"""The door for `python -m whimbrel` and the `whimbrel` command."""

import os
import sys

from whimbrel import __version__


def main() -> None:
    # numpy looks when it is loaded. With a thread a core the few numbers of a question are waited for by spinning: ten
    # times the time where the cores have other work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Answered here because importing the command line costs more than all the rest of this start.
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"whimbrel {__version__}\n")
        return
    from whimbrel.cli.main import main as command

    sys.exit(command())


if __name__ == "__main__":
    main()
