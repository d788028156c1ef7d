"""What goes in and out as files: export, import, check.

Takes: lines of JSON, archives and tables of pages, and what the repository keeps. Gives: lines of JSON, archives and
tables that other tools read; what an import holds goes the way of fetched pages into the repository. Promises: one
line out for each line in, in order; what it cannot use is named with its place and the reason, and costs nothing else;
a file appears when it is complete. Never: fetches anything.
"""
