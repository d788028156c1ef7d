"""What sites turn over by themselves, one kind at a time: no alarm, without history and without neighbours."""

import pytest
from article import article, compare

SHARD = "f3a91c07b2d84e65"
OTHER_SHARD = "07be1d95c3a2486f"

IN_THE_TEXT = {
    "relative time": ("<p>Updated 3 hours ago</p>", "<p>Updated 5 hours ago</p>"),
    "relative time in words": ("<p>Posted an hour ago</p>", "<p>Posted yesterday</p>"),
    "relative time, short": ("<span>5m ago</span>", "<span>2h ago</span>"),
    "relative time, German": ("<p>vor 3 Stunden</p>", "<p>vor einem Tag</p>"),
    "relative time, French": ("<p>il y a 3 heures</p>", "<p>il y a 2 jours</p>"),
    "relative time, Japanese": ("<p>3 時間前</p>", "<p>5 日前</p>"),
    "views": ("<p>12,345 views</p>", "<p>12,399 views</p>"),
    "views, rounded": ("<p>Viewed 3.1k times</p>", "<p>Viewed 3.2k times</p>"),
    "visitors named first": ("<p>Visitors: 7</p>", "<p>Visitors: 12</p>"),
    "who is here": ("<p>17 users online</p>", "<p>23 users online</p>"),
    "likes": ("<button>Like 12 likes</button>", "<button>Like 15 likes</button>"),
    "the date of today": ("<p>Today is Monday, 3 May 2027</p>", "<p>Today is Tuesday, 4 May 2027</p>"),
    "the hour of the server": ("<p>Server time: 12:03</p>", "<p>Server time: 14:48</p>"),
    "when it was made": (
        "<p>Page generated on 3 May 2027 in 0.113 seconds</p>", "<p>Page generated on 4 May 2027 in 0.097 seconds</p>",
    ),
    "how fast it was made": ("<p>Rendered in 12 ms</p>", "<p>Rendered in 31 ms</p>"),
    "copyright": ("<p>© 2026 Example Ltd. All rights reserved.</p>", "<p>© 2027 Example Ltd. All rights reserved.</p>"),
    "copyright since": ("<p>Copyright (c) 2011-2026 Example</p>", "<p>Copyright (c) 2011-2027 Example</p>"),
    "request id": (f"<p>Request ID: {SHARD}</p>", f"<p>Request ID: {OTHER_SHARD}</p>"),
    "comment": ("<!-- node 7, cached -->", "<!-- node 12, fresh -->"),
    "white space": ("<p>One <b>two</b> three</p>", "\n\n  <p>One\n   <b>two</b>   three</p>\n"),
    "end tags left out": ("<ul><li>One</li><li>Two</li></ul>", "<ul><li>One<li>Two</ul>"),
    "order of attributes": ("<p class=a id=b lang=en>x</p>", "<p lang=en id=b class=a>x</p>"),
    "order of classes": ("<p class='lead wide'>x</p>", "<p class='wide lead'>x</p>"),
    "order of styles": ("<p style='color:red; margin:0'>x</p>", "<p style='margin: 0;color: red;'>x</p>"),
    "random ids": (
        "<h2 id=a8371>Food</h2><div role=region aria-labelledby=a8371><p>Crabs.</div>",
        "<h2 id=a9920>Food</h2><div role=region aria-labelledby=a9920><p>Crabs.</div>",
    ),
    "link to a random id": (
        "<p><a href='#panel-8f31a7'>More</a><div id='panel-8f31a7'>Text</div>",
        "<p><a href='#panel-02bd9e'>More</a><div id='panel-02bd9e'>Text</div>",
    ),
    "handler that looks up a random id": (
        "<p onmouseover=\"document.getElementById('more-idm1446').show()\">Text</p>",
        "<p onmouseover=\"document.getElementById('more-id96').show()\">Text</p>",
    ),
    "CSS modules": ("<p class='Card_body__3xK9d'>x</p>", "<p class='Card_body__a81Qz'>x</p>"),
    "styled components": ("<p class='sc-bdVaJa kLmPqR'>x</p>", "<p class='sc-htpNat fXyZbC'>x</p>"),
    "emotion": ("<p class='css-1q2w3e4'>x</p>", "<p class='css-0p9o8i7'>x</p>"),
    "scoped styles": ("<p class='svelte-1tky8bj lead'>x</p>", "<p class='svelte-9hz4qa lead'>x</p>"),
    "data attributes": ("<p data-testid=a1 data-ab=control>x</p>", "<p data-testid=b7 data-ab=variant>x</p>"),
    "session in a link": ("<a href='/next?sid=k3j9'>Next</a>", "<a href='/next?sid=m1x8'>Next</a>"),
    "session in a path": (
        "<a href='/next;jsessionid=8F3A77C2E1B0'>Next</a>", "<a href='/next;jsessionid=17CC09E2B1D0'>Next</a>",
    ),
    "tracking in a link": (
        "<a href='/next?utm_source=home&utm_campaign=may'>Next</a>",
        "<a href='/next?utm_source=mail&utm_campaign=june'>Next</a>",
    ),
    "token in a link": (
        f"<a href='/out?to=x&amp;token={SHARD}'>Out</a>", f"<a href='/out?to=x&amp;token={OTHER_SHARD}'>Out</a>",
    ),
    "hidden token of a form": (
        f"<form action=/send><input type=hidden name=csrf value={SHARD}><input name=q></form>",
        f"<form action=/send><input type=hidden name=csrf value={OTHER_SHARD}><input name=q></form>",
    ),
    "token in a form's target": (
        f"<form action='/send?csrf={SHARD}'><input name=q></form>",
        f"<form action='/send?csrf={OTHER_SHARD}'><input name=q></form>",
    ),
    "image with another mark of its build": (
        "<img src='/i/bird.4d5277e8.jpg' alt=Bird>", "<img src='/i/bird.363ba3ec.jpg' alt=Bird>",
    ),
    "image with a version in its query": (
        "<img src='/i/bird.jpg?v=12' alt=Bird>", "<img src='/i/bird.jpg?v=13' alt=Bird>",
    ),
    "image put in later": (
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' data-src='/i/bird.jpg' alt=Bird>",
        "<img src='/i/bird.jpg' loading=lazy alt=Bird>",
    ),
    "signed image": (
        "<img src='/i/bird.jpg?Expires=1700000000&amp;Signature=Zx81kQ' alt=Bird>",
        "<img src='/i/bird.jpg?Expires=1800000000&amp;Signature=pQ7rT2' alt=Bird>",
    ),
    "image at a numbered twin of its host": (
        "<img src='http://0.gravatar.com/avatar/8f3a?s=40' alt=''><p>Nice birds.</p>",
        "<img src='http://2.gravatar.com/avatar/8f3a?s=40' alt=''><p>Nice birds.</p>",
    ),
    "link to a numbered twin of its host": (
        "<a href='https://img04.static.example.co.uk:8443/bird.jpg'>Large</a>",
        "<a href='https://img12.static.example.co.uk:8443/bird.jpg'>Large</a>",
    ),
    "place for an advertisement": ("<ins class=adsbygoogle></ins>", ""),
    "advertisement": (
        "<div class=advertisement><a href=/buy>Boots, half price</a></div>",
        "<div class=advertisement><a href=/try>Tents for all weathers</a></div>",
    ),
    "related stories": (
        "<section class=related-articles><h2>Related</h2><a href=/curlew>Curlews</a></section>",
        "<section class=related-articles><h2>Related</h2><a href=/godwit>Godwits</a></section>",
    ),
    "most read": (
        "<div id=most-read><ol><li><a href=/knot>Knots</a></ol></div>",
        "<div id=most-read><ol><li><a href=/ruff>Ruffs</a><li><a href=/stint>Stints</a></ol></div>",
    ),
    "bare spans": ("<p>One two</p>", "<p><span>One</span> two<span></span></p>"),
}  # fmt: skip

IN_THE_HEAD = {
    "files at a numbered twin of their host": (
        "<link rel=stylesheet href='//s1.example.org/s.css'><script src='//s1.example.org/s.js'></script>",
        "<link rel=stylesheet href='//s3.example.org/s.css'><script src='//s2.example.org/s.js'></script>",
    ),
    "nonce": ("<script nonce=r4nd0m>f()</script>", "<script nonce=0th3r>f()</script>"),
    "token in meta": ("<meta name=csrf-token content=a81b>", "<meta name=csrf-token content=c77d>"),
    "versions in queries": (
        "<link rel=stylesheet href='/s.css?v=12'><script src='/s.js?v=12'></script>",
        "<link rel=stylesheet href='/s.css?v=13'><script src='/s.js?v=13'></script>",
    ),
    "hashes without digits": (
        "<script src='/assets/index-DfKqLmNo.js'></script>", "<script src='/assets/index-BtQrSvWx.js'></script>",
    ),
    "minified": (
        "<script>function f(a) {\n  // says it\n  return a + 1;\n}\n</script><style>p { color: red }\n</style>",
        "<script>function f(a){return a+1;}</script><style>p{color:red}</style>",
    ),
    "state of the page": (
        '<script>window.__STATE__={"user":null,"variant":"control","at":1700000000,"seen":["a","b"]};</script>',
        '<script>window.__STATE__={"user":null,"variant":"green","at":1700000777,"seen":["c"]};</script>',
    ),
    "data layer": (
        "<script>window.dataLayer=window.dataLayer||[];dataLayer.push({'page':'a','ab':'one'});</script>",
        "<script>window.dataLayer=window.dataLayer||[];dataLayer.push({'page':'a','ab':'two'});</script>",
    ),
    "JSON": (
        "<script type=application/ld+json>{\"dateModified\":\"2026-05-03\"}</script>",
        "<script type=application/ld+json>{\"dateModified\":\"2026-06-04\"}</script>",
    ),
    "styles with generated names": (
        "<style>.sc-bdVaJa{color:red}.css-1q2w3e4{margin:0}</style>",
        "<style>.sc-htpNat{color:red}.css-0p9o8i7{margin:0}</style>",
    ),
    "token in a script": ("<script>var token='QmFzZSeGtXYz';</script>", "<script>var token='TGlrZkdoPaKq';</script>"),
    "time in a script": (
        "<script>/* built Tue Nov 3 2026 */f(1700000000)</script>",
        "<script>/* built Wed Dec 9 2026 */f(1700099999)</script>",
    ),
}  # fmt: skip

AROUND = {
    "cookie banner": ("", "<div id=cookie-banner><p>We use cookies. <button>Fine</button></div>"),
    "consent": ("<div class=cookieconsent>We use cookies.</div>", ""),
    "breadcrumbs": ("<ul class=breadcrumb><li>Birds</ul>", "<ul class=breadcrumb><li>Nature<li>Birds</ul>"),
    "DocBook's menus": ("<div class=navheader>Prev: A</div>", "<div class=navheader>Prev: B</div>"),
    "mark of an experiment": ("<div data-experiment=a></div>", "<div data-experiment=b><div></div></div>"),
}


@pytest.mark.parametrize("kind", IN_THE_TEXT)
def test_in_the_text(kind: str) -> None:
    before, after = IN_THE_TEXT[kind]
    found = compare(article(before), article(after))
    assert not found.where


@pytest.mark.parametrize("kind", IN_THE_HEAD)
def test_in_the_head(kind: str) -> None:
    before, after = IN_THE_HEAD[kind]
    found = compare(article(head=before), article(head=after))
    assert not found.where


@pytest.mark.parametrize("kind", AROUND)
@pytest.mark.parametrize("main", [True, False])
def test_around(kind: str, main: bool) -> None:
    before, after = AROUND[kind]
    found = compare(article(around=before, main=main), article(around=after, main=main))
    assert not found.where
