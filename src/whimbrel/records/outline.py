"""A page from above: its elements in the order of their start tags, and what its headings say."""

Step = tuple[int, str, str]
"""The depth of an element (the root's is 0), its name, and its class attribute as written, or what else tells it from
others. The words of a heading are a step below it: "#" and the heading's name, and the words."""

WORDS_MARK = "#"
"""No element's name begins so."""
