"""What goes in and out as files: export, import, check.

Takes: lines of JSON, and what the repository keeps. Gives: lines of JSON and archive files that other tools
read. Promises: one line out for each line in, in order; a line it cannot use is answered with what to send
instead. Never: changes a crawl.
"""
