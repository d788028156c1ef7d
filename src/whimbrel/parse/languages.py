"""Codes of languages: one code for one language, whatever a page or a reader calls it."""

# Three-letter codes (ISO 639-2/T and /B) that have a two-letter one (ISO 639-1).
_CODES = """
    aar:aa abk:ab afr:af aka:ak alb:sq amh:am ara:ar arg:an arm:hy asm:as ava:av ave:ae aym:ay aze:az bak:ba
    bam:bm baq:eu bel:be ben:bn bis:bi bod:bo bos:bs bre:br bul:bg bur:my cat:ca ces:cs cha:ch che:ce chi:zh
    chu:cu chv:cv cor:kw cos:co cre:cr cym:cy cze:cs dan:da deu:de div:dv dut:nl dzo:dz ell:el eng:en epo:eo
    est:et eus:eu ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr fre:fr fry:fy ful:ff geo:ka ger:de gla:gd gle:ga
    glg:gl glv:gv gre:el grn:gn guj:gu hat:ht hau:ha heb:he her:hz hin:hi hmo:ho hrv:hr hun:hu hye:hy ibo:ig
    ice:is ido:io iii:ii iku:iu ile:ie ina:ia ind:id ipk:ik isl:is ita:it jav:jv jpn:ja kal:kl kan:kn kas:ks
    kat:ka kau:kr kaz:kk khm:km kik:ki kin:rw kir:ky kom:kv kon:kg kor:ko kua:kj kur:ku lao:lo lat:la lav:lv
    lim:li lin:ln lit:lt ltz:lb lub:lu lug:lg mac:mk mah:mh mal:ml mao:mi mar:mr may:ms mkd:mk mlg:mg mlt:mt
    mon:mn mri:mi msa:ms mya:my nau:na nav:nv nbl:nr nde:nd ndo:ng nep:ne nld:nl nno:nn nob:nb nor:no nya:ny
    oci:oc oji:oj ori:or orm:om oss:os pan:pa per:fa pli:pi pol:pl por:pt pus:ps que:qu roh:rm ron:ro rum:ro
    run:rn rus:ru sag:sg san:sa sin:si slk:sk slo:sk slv:sl sme:se smo:sm sna:sn snd:sd som:so sot:st spa:es
    sqi:sq srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv tah:ty tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tib:bo
    tir:ti ton:to tsn:tn tso:ts tuk:tk tur:tr twi:tw uig:ug ukr:uk urd:ur uzb:uz ven:ve vie:vi vol:vo wel:cy
    wln:wa wol:wo xho:xh yid:yi yor:yo zha:za zho:zh zul:zu
"""
# Members of a macrolanguage, to which the two-letter code belongs: what a detector calls Mandarin (cmn) pages call zh.
# The language aliases of Unicode CLDR 47 (Unicode License v3), as Babel 2.18 gives them, and where CLDR keeps a member
# apart (azb, ckb, fuv, pbt) ISO 639-3's own macrolanguage mappings.
_MEMBERS = """
    adp:dz als:sq arb:ar ayr:ay azb:az azj:az ckb:ku cls:sa cmn:zh cnr:sr cwd:cr drh:mn drw:fa ekk:et esk:ik fat:ak
    fuc:ff fuv:ff gaz:om gug:gn hbs:sr ike:iu khk:mn kmr:ku knc:kr kng:kg kpv:kv lvs:lv mol:ro npi:ne ojg:oj ory:or
    pbt:ps pbu:ps pes:fa plt:mg prp:gu prs:fa quz:qu scc:sr scr:hr src:sc swc:sw swh:sw tnf:fa uzn:uz ydd:yi zsm:ms
    zyb:za
"""

TWO_LETTERS: dict[str, str] = {
    three: two for three, _, two in (pair.partition(":") for pair in (_CODES + _MEMBERS).split())
}

_NO_LANGUAGE = frozenset(("und", "mul", "zxx"))
_BOKMAL = {"no": "nb"}
"""Norwegian is Bokmål where nothing else is said: nearly all of it is."""


def declared_language(declared: str) -> str:
    """Of "de-CH" the part before the hyphen (RFC 5646 §2.2.1), as ISO 639-1 where that has a code, else ISO 639-3; ""
    of what names no language."""
    primary = declared.strip().lower().replace("_", "-").partition("-")[0]
    if not (primary.isascii() and primary.isalpha() and 2 <= len(primary) <= 3) or primary in _NO_LANGUAGE:
        return ""
    code = TWO_LETTERS.get(primary, primary)
    return _BOKMAL.get(code, code)
