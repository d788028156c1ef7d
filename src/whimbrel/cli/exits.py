"""Exit codes, listed in every `--help`."""

OK = 0
FAILED = 1
USAGE = 2
NOT_FOUND = 3
BUSY = 4
STORAGE = 5
BAD_LINKS = 6
INTERRUPTED = 130

LIST = """\b
Exit codes:
  0    done, also where a limit was reached or one Ctrl-C ended it
  1    the work failed; what was said above tells why
  2    the command line, the settings or a URL cannot be understood
  3    the folder or the URL asked for is not there
  4    another command is using the folder
  5    the folder cannot be read or written (full disk, damage, newer format)
  130  ended by a second Ctrl-C; everything committed is safe
"""


def with_line(code: int, words: str) -> str:
    """The list for a verb that has a code of its own."""
    *lines, last = LIST.rstrip().split("\n")
    return "\n".join((*lines, f"  {code:<3}  {words}", last, ""))
