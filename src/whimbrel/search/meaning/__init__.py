"""What is a text about, whatever words it uses?

Takes: the words of a page or of a question. Gives: a vector each; texts about the same thing have vectors that point
the same way. Promises: nothing is loaded before the first text; without the extra `meaning` nothing of it is used.
Never: asks a network.

`sense` makes vectors, by the `pieces` that words consist of; `vectors` keeps those of all pages and finds the nearest.
"""
