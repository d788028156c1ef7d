"""Runs in the environment of the peers, apart from Whimbrel: `python text_peers.py FOLDER PEER` writes a JSON line for
each page in FOLDER/html, its name, the text and the seconds of CPU it took. Exit code 3: the peer is not installed."""

import gzip
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

ABSENT = 3


def _trafilatura() -> Callable[[str], str]:
    import trafilatura

    return lambda html: trafilatura.extract(html) or ""


def _resiliparse() -> Callable[[str], str]:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html: extract_plain_text(html, main_content=True, alt_texts=False)


def _readability() -> Callable[[str], str]:
    import lxml.html
    from readability import Document

    return lambda html: lxml.html.fromstring(Document(html).summary()).text_content()


PEERS = {"trafilatura": _trafilatura, "resiliparse": _resiliparse, "readability": _readability}


def main(folder: Path, peer: str) -> int:
    try:
        extract = PEERS[peer]()
    except ImportError:
        return ABSENT
    for path in sorted((folder / "html").glob("*.html.gz")):
        html = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        began = time.process_time()
        try:
            text = extract(html)
        except Exception:  # what a peer cannot read it finds nothing in
            text = ""
        seconds = time.process_time() - began
        print(json.dumps({"page": path.name.removesuffix(".html.gz"), "text": text, "seconds": seconds}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
