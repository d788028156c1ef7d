"""What do pages of one kind say, each in its own words, and what is that called?

Takes: the pieces of text of pages of one kind, and where each stands. Gives: the columns in which they differ, named by
what the template writes beside them, and the row of a page. Promises: the same pages give the same columns; a page is
read by itself. Never: needs a selector, a list of words or a language.
"""
