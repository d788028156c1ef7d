"""What did readers do here, what did they put aside, and what do they wish for?

Takes: what browsers tell of readers who said yes, and what anybody does on purpose. Gives: the log of it, its sums, and
each reader's own part of it. Promises: what was acknowledged is on the disk and counted once, however often it was sent
and whatever was killed; what a reader deletes is in no file any more. Never: fetches, crawls, keeps anything of a
reader who did not say yes, tells anybody elsewhere. It meets the crawl in the repository alone.

    from whimbrel.readers.log import ReaderLog           # ReaderLog(where): take(bundles, now) -> which were new;
                                                         #   note(deeds); join, switch, reader_of; threads may share it
    from whimbrel.readers.sending import bundle_of       # what a browser sent, checked -> Bundle, or why it is refused
    from whimbrel.readers.tallies import Tallies         # how often each page was shown and opened, by anybody
    from whimbrel.readers.keeping import ReaderKeeping         # favourites, stars, saved searches, places in pages
    from whimbrel.readers.mine import Mine               # what is kept of one reader: shown, exported, deleted

`readers.sqlite` lies beside the repository. Any process may write it, one at a time.
"""
