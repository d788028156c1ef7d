"""What is filled in in the form fields of a PDF: texts, choices, and the captions of boxes that are ticked."""

import ctypes
from collections.abc import Callable, Iterator

import pypdfium2
from pypdfium2 import raw

_WRITTEN = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
_TICKED = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)


def filled_in(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> list[str]:
    """In the order of the page; a field that is shown twice on it is told once."""
    if document.formenv is None:
        return []
    found = (_told(document.formenv, annotation) for annotation in _annotations(page))
    return [value for value in dict.fromkeys(found) if value.strip()]


def _annotations(page: pypdfium2.PdfPage) -> Iterator[object]:
    for at in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, at)
        if annotation:
            try:
                yield annotation
            finally:
                raw.FPDFPage_CloseAnnot(annotation)


def _told(form: object, annotation: object) -> str:
    if raw.FPDFAnnot_GetSubtype(annotation) != raw.FPDF_ANNOT_WIDGET:
        return ""
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _WRITTEN:
        return _text(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    if kind in _TICKED and raw.FPDFAnnot_IsChecked(form, annotation):
        # What a person is told of it, else what it is called.
        caption = _text(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
        return caption or _text(raw.FPDFAnnot_GetFormFieldName, form, annotation)
    return ""


def _text(ask: Callable[..., int], form: object, annotation: object) -> str:
    size = ask(form, annotation, None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    ask(form, annotation, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore")
