"""What does its owner want to hear of a folder, and what have they seen?

Takes: their word that a change was no news, or that they have seen it. Gives: the silences over a page, and which
changes were seen. Promises: a word is kept before it is acknowledged, and gone without a trace once taken back. Never:
judges a page, hides what is kept.
"""
