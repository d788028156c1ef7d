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
  0    done (a crawl: finished, limit or time limit reached, or ended by one Ctrl-C)
  1    the work failed: nothing could be fetched, or no URL named here is kept,
       or nothing but pages that scripts are to make; or a check found a fault
  2    the command line, the settings or a seed cannot be understood
  3    the folder or the URL asked for is not there
  4    another crawl is using the folder
  5    the folder cannot be read or written (full disk, damage, newer format)
  6    bad links were found, where `links --fail` asks for it
  130  ended by a second Ctrl-C; everything committed is safe
"""
