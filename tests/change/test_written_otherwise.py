"""Pages that are written otherwise and say the same, as frameworks, editors, networks and servers do it by themselves.

No alarm at the first refresh, with nothing known of the page; and an edit beside any of them is told.
"""

import pytest
from article import article, compare

from whimbrel.change.decide import decide
from whimbrel.change.version import read_version

SAME = {
    'hydration json': (
        '<script id=__NEXT_DATA__ type=application/json>{"buildId":"a"}</script>',
        '<script id=__NEXT_DATA__ type=application/json>{"buildId":"b","x":1}</script>',
    ),
    'nuxt': (
        "<script>window.__NUXT__=(function(a,b){return {layout:a,data:[{x:b}]}}('default',1))</script>",
        "<script>window.__NUXT__=(function(a,b,c){return {layout:a,data:[{x:b,y:c}]}}('default',2,3))</script>",
    ),
    'react ids': (
        "<p><label for=':r1:'>Name</label> <input id=':r1:'></p>",
        "<p><label for=':r7:'>Name</label> <input id=':r7:'></p>",
    ),
    'react comments': ('<p>Hello <!-- -->World</p>', '<p>Hello World</p>'),
    'react checksum attrs': (
        "<div data-reactroot='' data-react-checksum='123'>Hello</div>",
        "<div data-reactroot='' data-react-checksum='-993'>Hello</div>",
    ),
    'cdn host of picture': (
        "<p><img src='https://cdn1.example.net/a/bird.jpg' alt=Bird></p>",
        "<p><img src='https://d1a2.cloudfront.net/a/bird.jpg' alt=Bird></p>",
    ),
    'lazy srcset': (
        "<img src='data:image/gif;base64,R0' data-srcset='/b.jpg 1x' alt=Bird>",
        "<img srcset='/b.jpg 1x,/b2.jpg 2x' src='/b.jpg' alt=Bird>",
    ),
    'noscript image': (
        '<img class=lazyload data-src=/b.jpg alt=Bird><noscript><img src=/b.jpg alt=Bird></noscript>',
        '<img src=/b.jpg alt=Bird>',
    ),
    'lazy iframe': (
        "<iframe data-src='https://v.example/embed/x'></iframe>",
        "<iframe src='https://v.example/embed/x'></iframe>",
    ),
    'email protection': (
        "<a href='/cdn-cgi/l/email-protection#036243612d60'><i data-cfemail='036243612d60'>[email]</i></a>",
        "<a href='/cdn-cgi/l/email-protection#c8a988aae6ab'><i data-cfemail='c8a988aae6ab'>[email]</i></a>",
    ),
    'consent banner unknown name': (
        '',
        '<div role=dialog><p>We value your privacy.</p><button>Accept</button></div>',
    ),
    'layer that asks for consent': (
        '',
        "<div class='cmp-layer'><p>We and our 842 partners use cookies.</p><button>Accept</button></div>",
    ),
    'people also viewed': (
        '<section class=also-viewed><ul><li><a href=/a>Alpha</a><li><a href=/b>Beta</a></ul></section>',
        '<section class=also-viewed><ul><li><a href=/c>Gamma</a><li><a href=/d>Delta</a></ul></section>',
    ),
    'you may also like': (
        '<div class=product-recs><h3>You may also like</h3><a href=/a>Alpha</a></div>',
        '<div class=product-recs><h3>You may also like</h3><a href=/c>Gamma</a></div>',
    ),
    'how long ago: es': ('<p>hace 3 horas</p>', '<p>hace 2 días</p>'),
    'how long ago, Brazilian': ('<p>3 horas atrás</p>', '<p>5 horas atrás</p>'),
    'how long ago: pt': ('<p>há 3 horas</p>', '<p>há 1 dia</p>'),
    'how long ago: ru': ('<p>3 часа назад</p>', '<p>5 часов назад</p>'),
    'how long ago: ar': ('<p>قبل 3 ساعات</p>', '<p>قبل 5 ساعات</p>'),
    'how long ago, Arabic with another word': ('<p>منذ 3 ساعات</p>', '<p>منذ 5 ساعات</p>'),
    'how long ago: zh': ('<p>3小时前</p>', '<p>2天前</p>'),
    'how long ago: ko': ('<p>3시간 전</p>', '<p>2일 전</p>'),
    'how long ago: el': ('<p>πριν από 3 ώρες</p>', '<p>πριν από 5 ώρες</p>'),
    'how long ago: tr': ('<p>3 saat önce</p>', '<p>2 gün önce</p>'),
    'how long ago: en plural long': ('<p>about 3 hours ago</p>', '<p>about 1 day ago</p>'),
    'how long ago: en almost': ('<p>almost 2 years ago</p>', '<p>over 2 years ago</p>'),
    'how long ago: en less': ('<p>less than a minute ago</p>', '<p>1 minute ago</p>'),
    'how long ago: two units': ('<p>2 days, 3 hours ago</p>', '<p>3 days, 1 hour ago</p>'),
    'last seen': ('<p>Last seen: 3 minutes ago</p>', '<p>Last seen: just now</p>'),
    'time element with date': (
        "<p>Posted <time datetime='2026-05-03T10:00:00Z'>3h</time></p>",
        "<p>Posted <time datetime='2026-05-03T10:00:00Z'>5h</time></p>",
    ),
    'view counter 1.2K views': ('<p>1.2K views</p>', '<p>1.3K views</p>'),
    'ad slot': (
        "<div id='div-gpt-ad-1234567-0'></div>",
        "<div id='div-gpt-ad-7654321-0'><iframe src='https://ads.example/x'></iframe></div>",
    ),
    'ad with text': (
        "<div id='google_ads_iframe_1'><a href='https://adclick.example/1'>Buy boots</a></div>",
        "<div id='google_ads_iframe_1'><a href='https://adclick.example/2'>Try tents</a></div>",
    ),
    'ad aria': (
        "<div aria-label=Advertisement><a href='/x'>Buy boots</a></div>",
        "<div aria-label=Advertisement><a href='/y'>Try tents</a></div>",
    ),
    'token of a form': (
        '<form action=/x><input name=_csrf value=abc type=hidden></form>',
        '<form action=/x><input name=_csrf value=def type=hidden></form>',
    ),
    'token of a form, Rails': (
        '<form action=/x><input name=authenticity_token value=abc autocomplete=off></form>',
        '<form action=/x><input name=authenticity_token value=xyz autocomplete=off></form>',
    ),
    'sess link PHPSESSID': (
        "<a href='/n?PHPSESSID=8f7a6c5d4e3b'>Next</a>",
        "<a href='/n?PHPSESSID=1a2b3c4d5e6f'>Next</a>",
    ),
    'sess link s=': (
        "<a href='/n?s=8f7a6c5d4e3b2a1908f7a6c5d4e3b2a1'>Next</a>",
        "<a href='/n?s=1a2b3c4d5e6f70819a2b3c4d5e6f7081'>Next</a>",
    ),
    'sess asp path': ("<a href='/(S(k3j9sdf8s9df8))/n'>Next</a>", "<a href='/(S(lsd8f9sd8f9s8))/n'>Next</a>"),
    'srcset': (
        "<img src=/b.jpg srcset='/b-320.jpg 320w' alt=B>",
        "<img src=/b.jpg srcset='/b-320.jpg 320w, /b-640.jpg 640w' alt=B>",
    ),
    'svg ids': (
        "<p>A <svg><defs><linearGradient id=a1></linearGradient></defs><path fill='url(#a1)'/></svg></p>",
        "<p>A <svg><defs><linearGradient id=b7></linearGradient></defs><path fill='url(#b7)'/></svg></p>",
    ),
    'svg title': (
        '<p>A <svg aria-labelledby=t1><title id=t1>Bird</title></svg></p>',
        '<p>A <svg aria-labelledby=t9><title id=t9>Bird</title></svg></p>',
    ),
    'svg came': ('<p><a href=/x>Out</a></p>', "<p><a href=/x>Out <svg><path d='M0'/></svg></a></p>"),
    'NFC NFD': ('<p>Café déjà vu à la crème</p>', '<p>Café déjà vu à la crème</p>'),
    'nbsp': ('<p>10 km away from here</p>', '<p>10&nbsp;km away from here</p>'),
    'zero width': ('<p>Supercalifragilistic words</p>', '<p>Super\u200bcali\u200bfragilistic words</p>'),
    'soft hyphen': ('<p>Donaudampfschiff words</p>', '<p>Donau&shy;dampf&shy;schiff words</p>'),
    'wbr': ('<p>Donaudampfschiff words</p>', '<p>Donau<wbr>dampfschiff words</p>'),
    'bom/direction': ('<p>Hello there friends</p>', '<p>\u200eHello there\ufeff friends</p>'),
    'entities': ('<p>It&rsquo;s &quot;x&quot; &amp; y &mdash; z</p>', '<p>It’s "x" & y — z</p>'),
    'curly quotes': ('<p>It\'s "so" - and so...</p>', '<p>It’s “so” - and so…</p>'),
    'numeric entity': ('<p>it&#39;s &#x27;x&#x27;</p>', "<p>it's 'x'</p>"),
    'attr order/quotes': ('<a href="/x" class=\'y\'>Z</a>', '<a class=y href=/x>Z</a>'),
    'http->https': ("<p><a href='http://example.com/a'>A</a></p>", "<p><a href='https://example.com/a'>A</a></p>"),
    'protocol relative': ("<p><a href='//example.com/a'>A</a></p>", "<p><a href='https://example.com/a'>A</a></p>"),
    'trailing slash': ("<p><a href='/a/b'>A</a></p>", "<p><a href='/a/b/'>A</a></p>"),
    'index.html': ("<p><a href='/a/index.html'>A</a></p>", "<p><a href='/a/'>A</a></p>"),
    'percent encoding': ("<p><a href='/a%20b/%c3%a9'>A</a></p>", "<p><a href='/a b/é'>A</a></p>"),
    'www': ("<p><a href='https://www.example.com/a'>A</a></p>", "<p><a href='https://example.com/a'>A</a></p>"),
    'default port': (
        "<p><a href='https://example.com:443/a'>A</a></p>",
        "<p><a href='https://example.com/a'>A</a></p>",
    ),
    'host case': ("<p><a href='https://Example.COM/a'>A</a></p>", "<p><a href='https://example.com/a'>A</a></p>"),
    'dot segments': ("<p><a href='./a'>A</a></p>", "<p><a href='a'>A</a></p>"),
    'query order': ("<p><a href='/a?x=1&y=2'>A</a></p>", "<p><a href='/a?y=2&x=1'>A</a></p>"),
    'utm added': ("<p><a href='/a'>A</a></p>", "<p><a href='/a?utm_source=x'>A</a></p>"),
    'gclid': ("<p><a href='/a?id=1&gclid=AAA'>A</a></p>", "<p><a href='/a?id=1'>A</a></p>"),
    'hubspot': ("<p><a href='/a?_hsenc=p2ANq&_hsmi=12'>A</a></p>", "<p><a href='/a?_hsenc=q9XXz&_hsmi=15'>A</a></p>"),
    'ga linker': ("<p><a href='/a?_ga=2.1.2.3'>A</a></p>", "<p><a href='/a?_ga=2.9.9.9'>A</a></p>"),
    'target rel': ('<a href=/x>A</a>', "<a href=/x target=_blank rel='noopener nofollow'>A</a>"),
    'javascript link': ("<a href='javascript:void(0)'>More</a>", "<a href='#'>More</a>"),
    'hash link': ("<a href='#'>More</a>", "<a href=''>More</a>"),
    'link w/o href': ('<a>More</a>', "<a href='#'>More</a>"),
    'wrapper div': ('<p>One two three</p>', '<div class=w><div><p>One two three</p></div></div>'),
    'p to div': ('<div>One two three</div>', '<div><p>One two three</p></div>'),
    'tbody': ('<table><tr><td>A<td>B</table>', '<table><tbody><tr><td>A</td><td>B</td></tr></tbody></table>'),
    'b to strong': ('<p><b>One</b> two</p>', '<p><strong>One</strong> two</p>'),
    'br xhtml': ('<p>One<br>two</p>', '<p>One<br />two</p>'),
    'br to p': ('<p>One one.<br><br>Two two.</p>', '<p>One one.</p><p>Two two.</p>'),
    'font tag': ('<p>One two</p>', '<p><font color=red>One</font> two</p>'),
    'uppercase tags': ('<P>One two</P>', '<p>One two</p>'),
    'empty p': ('', '<p>&nbsp;</p><p></p>'),
    'heading anchors': ('<h2>Food</h2>', "<h2 id=food>Food<a class=anchor href='#food'></a></h2>"),
    'heading anchors ¶': (
        "<h2>Food<a class=headerlink href='#food'>¶</a></h2>",
        "<h2>Food<a class=headerlink href='#food'>#</a></h2>",
    ),
    'hidden=until-found': ('', '<div hidden>Something</div>'),
    'template': ('', '<template><p>Hi</p></template>'),
    'noscript pixel': ('', "<noscript><img src='https://t.example/p?x=1'></noscript>"),
    'tracking pixel': (
        "<img src='https://t.example/p?x=1' width=1 height=1>",
        "<img src='https://t.example/p?x=2' width=1 height=1>",
    ),
    'tracking pixel came': ('', "<img src='https://t.example/p?x=2' width=1 height=1 alt=''>"),
    'select options': (
        '<form><select><option>AA<option>BB</select></form>',
        '<form><select><option selected>AA<option>BB</select></form>',
    ),
    'textarea': ('<form><textarea></textarea></form>', '<form><textarea name=x rows=3></textarea></form>'),
    'input placeholder': (
        '<form><input placeholder=Search></form>',
        "<form><input placeholder='Search …' value=''></form>",
    ),
    'table caption id': ('<table id=tablepress-1><tr><td>A</table>', '<table id=tablepress-2><tr><td>A</table>'),
    'footnote ids': (
        "<p>One<sup id=fnref-12><a href='#fn-12'>1</a></sup></p>",
        "<p>One<sup id=fnref-99><a href='#fn-99'>1</a></sup></p>",
    ),
    'anchor named': ("<p><a href='#_Toc12345678'>One</a></p>", "<p><a href='#_Toc87654321'>One</a></p>"),
    'data uri image': (
        "<img src='data:image/png;base64,AAAA' alt=x>",
        "<img src='data:image/png;base64,BBBB' alt=x>",
    ),
    'webp': ("<img src='/i/bird.png' alt=Bird>", "<img src='/i/bird.webp' alt=Bird>"),
    'alt added': ("<p>T <img src='/i/b.png'></p>", "<p>T <img src='/i/b.png' alt=''></p>"),
    'image proxy': ("<img src='/i/b.png' alt=B>", "<img src='/_next/image?url=%2Fi%2Fb.png&w=640&q=75' alt=B>"),
    'lang attr': ('<p>x y</p>', '<p lang=en>x y</p>'),
    'page answered': ('<p>Served by our cache in 12 ms</p>', '<p>Served by our cache in 31 ms</p>'),
    'time of a forum': (
        '<p>It is currently Wed Nov 18, 2026 1:24 pm</p>', '<p>It is currently Thu Nov 19, 2026 2:44 am</p>'
    ),
    'who is there': (
        '<p>There are 14 users online :: 3 registered, 0 hidden and 11 guests</p>',
        '<p>There are 17 users online :: 2 registered, 1 hidden and 14 guests</p>',
    ),
    'a nonce': ('<a href="/out?_wpnonce=1a2b3c4d5e">Out</a>', '<a href="/out?_wpnonce=9f8e7d6c5b">Out</a>'),
    'a key of a form': (
        '<a href="/cart/add/3/form_key/XyZ12aBc/">Add</a>', '<a href="/cart/add/3/form_key/Qw98rTy7/">Add</a>'
    ),
    'stamped for machines': (
        '<p>Seen <time datetime="2026-11-18T13:24:58Z">just now</time></p>',
        '<p>Seen <time datetime="2026-11-19T08:11:07Z">just now</time></p>',
    ),
    'related posts of a tool': (
        '<div class=jp-relatedposts><p><a href=/a>A story of the coast</a></p></div>',
        '<div class=jp-relatedposts><p><a href=/b>Another from the hills</a></p></div>',
    ),
    'cookies asked for in one word': ('<div class=x-cookiebanner><p>We keep cookies</p></div>', ''),
    'page served': ('<p>Served by web-12</p>', '<p>Served by web-07</p>'),
    'case of uuid': (
        '<p>Ref 3F2504E0-4F89-11D3-9A0C-0305E82C3301</p>',
        '<p>Ref 6FA459EA-EE8A-3CA4-894E-DB77E160355E</p>',
    ),
    'nested nav': ('<nav><a href=/a>A</a></nav>', '<nav><a href=/b>B</a></nav>'),
    'text with a space before punctuation': (
        '<p>One <a href=/x>two</a>, three</p>',
        '<p>One <a href=/x>two</a> , three</p>',
    ),
    'sync marks': ("<p>x</p><esi:include src='/f'/>", '<p>x</p>'),
    'custom element': ('<p>Hello there</p>', '<x-app><p>Hello there</p></x-app>'),
    'custom inline element': ('<p>Hello there friend</p>', '<p>Hello <x-tip>there</x-tip> friend</p>'),
    'astro island': (
        "<astro-island uid='Z1a'><p>Hi</p></astro-island>",
        "<astro-island uid='Q9b'><p>Hi</p></astro-island>",
    ),
    'relay': ("<p onclick='x(1700000000)'>Hi</p>", "<p onclick='x(1700000099)'>Hi</p>"),
}  # fmt: skip

EDITS = {
    "a word": ("The hide is open on Sundays.", "The hide is shut on Sundays."),
    "a price": ("A ticket costs 12 euros.", "A ticket costs 14 euros."),
    "a sign": ("Is it safe? Yes.", "Is it safe? Yes!"),
    "a link": ("<a href=/map/17>Map</a>", "<a href=/map/18>Map</a>"),
    "a list put where prose was": ("Crabs and worms.", "<ul><li>Crabs and worms.</ul>"),
}


@pytest.mark.parametrize("kind", SAME)
def test_what_is_written_otherwise_raises_no_alarm(kind: str) -> None:
    before, after = SAME[kind]
    assert not compare(article(before), article(after)).changed
    assert not compare(article(after), article(before)).changed


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_beside_it_is_told(edit: str) -> None:
    was, now = EDITS[edit]
    for kind, (before, after) in SAME.items():
        for here, there in ((before, after), (after, before)):
            found = compare(article(f"{here}<p>{was}</p>"), article(f"{there}<p>{now}</p>"))
            assert found.changed, kind


def test_links_lead_to_the_same_from_where_the_page_stands() -> None:
    pages = [
        read_version(f"<p><a href='{href}'>Map</a></p>".encode(), "text/html", address="https://birds.example/north/")
        for href in ("map", "/north/map/", "http://www.birds.example/north/map", "/map", "/north/map?of=2")
    ]
    assert [decide(pages[0], other).changed for other in pages[1:]] == [False, False, True, True]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<time datetime=2026-05-03>3h</time>", "<time datetime=2026-05-04>1h</time>"),
        ("<time datetime=2026-05-03>3 May 2026</time>", "<time datetime=2026-05-03>13 May 2026</time>"),
        ("<time>3h</time> left", "<time>5h</time> left"),
        ("<b title='Our price'>3</b>", "<b title='Our price'>5</b>"),
    ],
)
def test_a_moment_that_moves_is_told(before: str, after: str) -> None:
    assert compare(article(f"<p>Posted {before}</p>"), article(f"<p>Posted {after}</p>")).changed


@pytest.mark.parametrize(
    "panel",
    [
        "<button aria-controls='x fees'>Fees</button><div hidden id=fees>{}</div>",
        "<div role=tabpanel hidden>{}</div>",
        "<div hidden=until-found>{}</div>",
    ],
)
def test_what_the_reader_can_open_is_read(panel: str) -> None:
    assert compare(article(panel.format("It costs 3 euros.")), article(panel.format("It costs 5 euros."))).changed
    nobody = "<div hidden id=other>{}</div>"
    assert not compare(article(nobody.format("It costs 3 euros.")), article(nobody.format("5 euros."))).changed


@pytest.mark.parametrize("name", ["cookie-policy", "cookies", "consent", "privacy-notice", "related-work", "roadmap"])
def test_boxes_about_something_are_read(name: str) -> None:
    box = f"<div class={name}><p>We keep it for {{}} days.</p></div>"
    assert compare(article(box.format(3)), article(box.format(5))).changed
