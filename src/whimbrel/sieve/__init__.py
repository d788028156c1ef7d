"""Does this page pass what its user wrote about pages?

Takes: a page filter, an expression or a program, and what is known of pages. Gives: a verdict with its reason; what is
wrong with a filter, and where. Promises: whatever the filter does, whoever asks goes on: it runs in a process of its
own that opens nothing, within limits of processor time and memory, and is not asked again when it was ended a few
times. Never: runs a user's program outside WebAssembly, or takes one that somebody else compiled.
"""
