"""Which kept pages say nearly the same, and which URLs lead to one page?

Takes: the repository's events. Gives: `twins.sqlite`, and rules that home applies before a page is fetched. Promises:
runs after the commit, never in its way; what a user took apart stays apart. Never: drops a page.
"""
