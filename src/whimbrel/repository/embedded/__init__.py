"""The repository as one folder of files: SQLite for what is known, WARC files for what was received."""
