"""How fast, beside whom, and what for.

Takes: a folder of pages, the peers to measure, how often. Gives: every run as it was, medians with their spread,
ratios; what was to be reached, and whether it was (`goals`). Promises: peers take turns on the same core, disk and
server; a run that fetched other pages than it should is said aloud; nothing is dropped. Never: touches a folder of the
user's, or asks anything outside this machine.
"""
