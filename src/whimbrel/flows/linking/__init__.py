"""Which links lead nowhere any more, and which pages hold them?

Takes: what a repository holds, and what a second one holds of addresses that were asked for this alone. Gives: bad
links, each with its pages and the words that link. Promises: nothing is asked and nothing is written from here. Never:
calls a link bad that nobody asked.
"""
