"""Is this page wanted, and what do its links promise?

Takes: requests, and pages as they are read. Gives: a verdict with its reason, the requests that a page serves, what
links promise, and what was learned, small enough to travel. Promises: the same pages in the same order are judged the
same; a judge costs nothing where nobody asks for it. Never: fetches, keeps or drops a page.
"""
