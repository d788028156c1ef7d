"""The door for `python -m whimbrel` and the `whimbrel` command."""

import sys

from whimbrel import __version__


def main() -> None:
    # Answered here because importing the command line costs more than all the rest of this start.
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"whimbrel {__version__}\n")
        return
    from whimbrel.cli.main import main as command

    sys.exit(command())


if __name__ == "__main__":
    main()
