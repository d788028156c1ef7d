"""What a document says.

Takes: the bytes of a document and the content type they came with. Gives: a `Page` on the hot path; main
text, paragraphs, language and the tree of elements from a kept copy. Promises: any bytes give a `Page`, in
time and memory that grow with their number and not faster; what was cut to hold this is said in the page.
Never: fetches, resolves a link, or runs a script.
"""
