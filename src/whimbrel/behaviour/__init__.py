"""What does that which readers did say of a page?

Takes: actions and amounts, baskets of them, showings and clicks. Gives: patterns and the papers' page weight, reading
time set against the words and the reader's pace, a click's worth freed from the place it was shown at. Promises: the
same data give the same opinion; few data give none. Never: knows who a reader is, reads a log, a clock or a page.
"""
