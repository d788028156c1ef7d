"""What is a text about, whatever words it uses?

Takes: passages of pages, and questions. Gives: a vector each; texts about the same thing have vectors that point the
same way. Promises: nothing is loaded before the first text; without the extra `meaning` nothing of it is used.
Never: asks a network.

`passages` says what of a page is read, `sense` makes vectors of it: by `wordpieces` that words consist of, and an
`encoder` whose weights `tensors` reads. `meanings` keeps the vectors of each page, and `vectors` finds the nearest.
"""
