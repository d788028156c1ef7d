"""Are these pages of one kind, and which links lead to more of them?

Takes: element trees, and links with their place in them. Gives: how much of two trees matches, a site's kinds of
pages, requests that travel with a judge for them, an order of links that is learned, and a bounded shelf for pages
that nobody asked for yet. Promises: matching is symmetric, a tree matches itself whole, a request is judged the same
wherever it travelled by whoever met the same pages and links, and the same lessons give the same order. Never: looks
at a page's text; of its words only those of links count, and only for the order.
"""
