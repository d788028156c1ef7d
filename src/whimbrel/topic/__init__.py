"""Is this page about it, and which links lead there?

Takes: what was asked in words, pages that show it, pages as they are read. Gives: the papers' three tables (P4), how
relevant a page is and why, what its links promise, when a crawl has harvested enough. Promises: the same pages in the
same order are judged the same; whatever was learned is small enough to travel. Never: fetches, keeps or drops a page.
"""
