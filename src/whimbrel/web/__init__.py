"""How does a person search, read and crawl in a browser?

Takes: a folder, and requests. Gives: pages that work before any script does, kept copies that can do nothing, a JSON
interface that describes itself. Promises: nothing is loaded from elsewhere; nobody but this machine is answered
without the folder's key; what a kept page holds reaches a reader as text or inside a frame without an origin. Never:
writes the crawl's files; it asks a running crawl, or starts one.

    from whimbrel.web.app import make_app    # make_app(folder, Door(...)) -> Starlette
    from whimbrel.web.server import OpenedServer  # (folder, Door(...)): .address, .key, .run(); holds folder and port
    from whimbrel.web.server import Background  # with Background(opened): beside an event loop of one's own
    from whimbrel.web.server import run      # run(folder, host, port): until Ctrl-C
"""
