"""Documents to read: honest ones written with the libraries, PDFs and hostile ones byte by byte."""

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from functools import cache

import docx
import odfdo
import pptx
from docx.oxml import OxmlElement
from pptx.util import Inches

from whimbrel.documents.contract import PARAGRAPH_BREAK, DocumentText

PDF = "application/pdf"
OOXML = "application/vnd.openxmlformats-officedocument."
DOCX = OOXML + "wordprocessingml.document"
PPTX = OOXML + "presentationml.presentation"
ODF = "application/vnd.oasis.opendocument."
ODT, ODP, ODS = ODF + "text", ODF + "presentation", ODF + "spreadsheet"

CURLEW = (
    "The Eurasian whimbrel is a wader that breeds in the north and winters on the coasts of Africa. "
    "It has a long curved bill, longest in the adult female, and a striped crown above the eye. "
    "It feeds by probing soft mud for small invertebrates and by picking small crabs and similar prey off the surface."
)


def pdf(contents: Sequence[bytes], *, info: bytes = b"", forms: Sequence[bytes] = (), trailer: bytes = b"") -> bytes:
    """One page for each content stream; `forms` are objects from number 10 on, and a page may draw the first as /X."""
    kids = b" ".join(b"%d 0 R" % (100 + 2 * at) for at in range(len(contents)))
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: b"<< %s >>" % info,
    } | dict(enumerate(forms, 10))
    resources = b"<< /Font << /F 3 0 R >> /XObject << /X 10 0 R >> >>"
    for at, content in enumerate(contents):
        objects[100 + 2 * at] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources %s >>"
            % (101 + 2 * at, resources)
        )
        objects[101 + 2 * at] = content
    return _numbered(objects, trailer)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def lines(*placed: tuple[int, int, str]) -> bytes:
    """A content stream of lines: size of type, distance from the bottom, text."""
    shown = [b"BT /F %d Tf 72 %d Td (%s) Tj ET" % (size, y, text.encode("latin-1")) for size, y, text in placed]
    return stream(b"\n".join(shown))


@cache
def small_pdf(text: str = "Hello whimbrel") -> bytes:
    return pdf([lines((24, 700, text))])


def form_pdf() -> bytes:
    """A page with a text field, a choice, a box that is ticked and one that is not, and a button."""
    fields = [
        b"/FT /Tx /T (name) /V (Numenius phaeopus) /DA (/F 12 Tf)",
        b"/FT /Ch /Ff 131072 /T (season) /Opt [(spring) (autumn)] /V (autumn) /DA (/F 12 Tf)",
        b"/FT /Btn /T (ringed) /TU (The bird was ringed) /V /Yes /AS /Yes /AP << /N << /Yes 20 0 R /Off 20 0 R >> >>",
        b"/FT /Btn /T (tagged) /TU (The bird was tagged) /V /Off /AS /Off /AP << /N << /Yes 20 0 R /Off 20 0 R >> >>",
        b"/FT /Btn /Ff 65536 /T (send) /MK << /CA (Send it) >>",
    ]
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [10 0 R 11 0 R 12 0 R 13 0 R 14 0 R]"
        b" /DR << /Font << /F 3 0 R >> >> >> >>",
        2: b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R"
        b" /Resources << /Font << /F 3 0 R >> >> /Annots [10 0 R 11 0 R 12 0 R 13 0 R 14 0 R] >>",
        6: lines((24, 700, "Sighting report")),
        20: stream(b"", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]"),
    }
    for at, field in enumerate(fields):
        place = b"/Rect [72 %d 300 %d] /P 5 0 R" % (600 - 30 * at, 620 - 30 * at)
        objects[10 + at] = b"<< /Type /Annot /Subtype /Widget %s %s >>" % (place, field)
    return _numbered(objects, b"")


def encrypted_pdf() -> bytes:
    """The password's digest fits no password, so not the empty one either."""
    secret = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"6f" * 32, b"75" * 32)
    return pdf([lines((12, 700, "secret"))], trailer=b"/Encrypt %s /ID [<00> <00>]" % secret)


def looping_pdf() -> bytes:
    """A drawing that draws another ten times, which draws another ten times: twelve levels in four kilobytes.

    The innermost leaves nothing on the page, so that time is all it takes: what is drawn would take memory too, and on
    a quick machine more than there is before the time is over.
    """
    return pdf([stream(b"/X Do")], forms=[_nest(at) for at in range(12)])


def swelling_pdf() -> bytes:
    """Ninety megabytes of instructions, four of them text, in a stream of a hundred thousand bytes."""
    return pdf([stream(zlib.compress(b"BT /F 9 Tf 72 700 Td (swell) Tj ET " * 2_500_000, 9), b"/Filter /FlateDecode")])


@cache
def word(title: str = "") -> bytes:
    document = docx.Document()
    document.core_properties.title = title
    document.add_paragraph("Waders of the North", style="Title")
    document.add_paragraph(CURLEW)
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "bill", "curved"
    control, content = OxmlElement("w:sdt"), OxmlElement("w:sdtContent")
    content.append(document.add_paragraph("inside a content control")._p)
    control.append(content)
    document.element.body.insert(0, control)
    deleted = document.add_paragraph("kept ").add_run("deleted")._r
    deleted.getchildren()[0].tag = deleted.getchildren()[0].tag.replace("}t", "}delText")
    return _saved(document)


@cache
def presentation() -> bytes:
    show = pptx.Presentation()
    show.core_properties.title = "PowerPoint Presentation"
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Where whimbrels winter"
    slide.placeholders[1].text = "On warm coasts"
    table = slide.shapes.add_table(1, 1, Inches(1), Inches(1), Inches(1), Inches(1)).table
    table.cell(0, 0).text = "in a table"
    slide.notes_slide.notes_text_frame.text = "said aloud"
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = "Second slide"
    return _saved(show)


@cache
def open_text() -> bytes:
    document = odfdo.Document("text")
    document.body.clear()
    document.body.append(odfdo.Header(1, "Zugvögel"))
    document.body.append(odfdo.Paragraph("Der Regenbrachvogel zieht im Herbst nach Süden."))
    spaced = odfdo.Paragraph("one")
    spaced.append(odfdo.Tab())
    spaced.append(odfdo.Element.from_tag("<text:span>two</text:span>"))
    document.body.append(spaced)
    return _saved(document)


def open_presentation() -> bytes:
    document = odfdo.Document("presentation")
    document.body.clear()
    for name in ("first", "second"):
        page = odfdo.DrawPage(name)
        page.append(odfdo.Frame.text_frame(f"text of the {name} page", size=("7cm", "5cm")))
        document.body.append(page)
    return _saved(document)


def open_sheet() -> bytes:
    document = odfdo.Document("spreadsheet")
    document.body.clear()
    table = odfdo.Table("Counts")
    for row in (["bird", "seen"], ["whimbrel", 42]):
        table.append_row(odfdo.Row(width=0))
        table.set_row_values(table.height - 1, row)
    document.body.append(table)
    return _saved(document)


def changed(body: bytes, **members: bytes) -> bytes:
    """The archive with some members replaced or added; in their names `__` stands for a slash, `_` for a dot."""
    new = {name.replace("__", "/").replace("_", "."): data for name, data in members.items()}
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(body)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in old.namelist():
            if name not in new:
                archive.writestr(name, old.read(name))
        for name, data in new.items():
            archive.writestr(name, data)
    return out.getvalue()


def old_slides(text: str) -> bytes:
    """A compound file ([MS-CFB]) with a PowerPoint stream: a container of a list of slides, and a text in it."""
    atom = text.encode("utf-16-le")
    atom = struct.pack("<HHI", 0, 4000, len(atom)) + atom  # TextCharsAtom ([MS-PPT] §2.9.42)
    listed = struct.pack("<HHI", 15, 4080, len(atom)) + atom  # SlideListWithTextContainer
    whole = struct.pack("<HHI", 15, 1000, len(listed)) + listed  # DocumentContainer
    whole += struct.pack("<HHI", 0, 1010, 8192 - len(whole) - 8)
    content = whole.ljust(8192, b"\0")
    end, sectors = 0xFFFFFFFE, len(content) // 512
    chain = [*range(3, 2 + sectors), end]
    table = struct.pack(f"<{128}I", 0xFFFFFFFD, end, *chain, *[0xFFFFFFFF] * (126 - len(chain)))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<9I", 0, 1, 1, 0, 4096, end, 0, end, 0) + struct.pack("<109I", 0, *[0xFFFFFFFF] * 108)
    folder = _entry("Root Entry", 5, 1, end, 0) + _entry("PowerPoint Document", 2, 0xFFFFFFFF, 2, len(content))
    return header + table + folder.ljust(512, b"\0") + content


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    spelled = name.encode("utf-16-le") + b"\0\0"
    none = 0xFFFFFFFF
    head = spelled.ljust(64, b"\0") + struct.pack("<HBB3I", len(spelled), kind, 1, none, none, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def zip_of(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def laughs(root: str) -> bytes:
    """A billion laughs."""
    entities = ['<!ENTITY a0 "ha">'] + [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
    return f"<?xml version='1.0'?><!DOCTYPE x [{''.join(entities)}]>{root.replace('LAUGH', '&a9;')}".encode()


def _nest(at: int) -> bytes:
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    if at == 11:
        return stream(zlib.compress(b"q Q " * 250_000, 9), b"%s /Filter /FlateDecode" % form)
    return stream(b"/X Do " * 10, b"%s /Resources << /XObject << /X %d 0 R >> >>" % (form, 11 + at))


def _numbered(objects: dict[int, bytes], trailer: bytes) -> bytes:
    out = b"%PDF-1.7\n"
    table = b"xref\n0 1\n0000000000 65535 f \n"
    for number, data in sorted(objects.items()):
        table += b"%d 1\n%010d 00000 n \n" % (number, len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    end = b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R %s >>\n" % (max(objects) + 1, trailer)
    return out + table + end + b"startxref\n%d\n%%%%EOF\n" % len(out)


def paragraphs(found: DocumentText) -> list[str]:
    return found.text.split(PARAGRAPH_BREAK)


def _saved(document: "docx.document.Document | pptx.presentation.Presentation | odfdo.Document") -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
