"""What do the visits that came in change?

Takes: visits, and what the repository knows. Gives: one `Plan`, decided before anything is written. Promises: the same
pages are kept in whatever order visits arrive. Never: writes, or waits for anything.
"""
