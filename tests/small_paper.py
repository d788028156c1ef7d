"""A small PDF, served."""

from whimbrel.testing.reply import Reply


def paper(text: str, mark: bytes = b"") -> Reply:
    """A PDF of one page that says this several times; `mark` is nowhere to be read."""
    shown = b"\n".join(b"BT /F 9 Tf 40 %d Td (%s) Tj ET" % (760 - 14 * at, text.encode()) for at in range(12))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F 3 0 R >> >> "
        b">>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
    ]
    written, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n%%%s" % (len(objects) + 1, len(written), mark)
    return Reply(written + head + table + end, content_type="application/pdf")
