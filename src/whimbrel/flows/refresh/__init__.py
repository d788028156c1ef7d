"""What became of a page that is kept, and which pages are visited again?

Takes: visits to kept pages, their versions and habits. Gives: unchanged, noise, changed, moved, missing or gone, each
with its reason; the queue of a refresh, stage by stage. Never: silences the text, only the notice.
"""
