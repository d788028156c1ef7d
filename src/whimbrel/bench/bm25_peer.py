"""BM25 as bm25s gives it, with its English stop words and Snowball stems.

Run by the Python of the peers' own environment: `bm25_peer.py MOST`, texts and queries as one JSON object on standard
input, the places of the best texts of each query on standard output. It imports nothing of ours.
"""

import json
import sys

import bm25s  # type: ignore[import-not-found]
import Stemmer


def main() -> None:
    given = json.load(sys.stdin)
    stemmer = Stemmer.Stemmer("english")
    model = bm25s.BM25()
    model.index(
        bm25s.tokenize(given["texts"], stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    asked = bm25s.tokenize(given["queries"], stopwords="en", stemmer=stemmer, show_progress=False)
    most = min(int(sys.argv[1]), len(given["texts"]))
    places, scores = model.retrieve(asked, k=most, show_progress=False)
    pairs = zip(places.tolist(), scores.tolist(), strict=True)
    json.dump([[at for at, score in zip(*row, strict=True) if score > 0] for row in pairs], sys.stdout)


if __name__ == "__main__":
    main()
