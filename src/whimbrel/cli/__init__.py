"""The terminal's door.

Takes: words typed. Gives: lines, tables, JSON, and an exit code that scripts can rely on. Promises: an error says
what to do next; nothing that a page said reaches the terminal as a control sequence. Never: decides how to crawl.
"""
