"""The text of an SGF file from its bytes: files say which charset they have, or do not, or are wrong."""

from __future__ import annotations

import codecs
import contextlib
import re

_CHARSET = re.compile(rb"CA\s*\[\s*([\w.+-]{1,40})\s*[\]:]")
_PROBE = bytes(range(0x20, 0x7F))
# What files call a charset and what they then use: the later, larger one.
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "cp950"}


def decode(data: bytes) -> str:
    """The text, decoded before it is parsed: a Shift_JIS character may contain the byte of a bracket."""
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    declared = _declared_charset(data)
    if data.isascii():
        return data.decode(declared or "ascii", "replace")
    # UTF-8 shows by its look, whatever CA says; servers cut names in the middle of a character.
    with contextlib.suppress(UnicodeDecodeError):
        return data.decode("utf-8")
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    if wrong * 5 <= len(text) - len(text.encode("ascii", "ignore")):
        return text
    if declared and declared != "utf-8":
        return data.decode(declared, "replace")
    return data.decode(_likely_charset(data), "replace")


def _declared_charset(data: bytes) -> str:
    """The codec that CA names, if there is one and it leaves ASCII as it is."""
    found = _CHARSET.search(data)
    if not found:
        return ""
    try:
        codec = codecs.lookup(found[1].decode("ascii")).name
        plain = "escape" not in codec and _PROBE.decode(codec, "replace") == _PROBE.decode("ascii")
    except (LookupError, ValueError):
        return ""
    return _SUPERSETS.get(codec, codec) if plain else ""


def _likely_charset(data: bytes) -> str:
    """A guess for bytes that are not UTF-8; a wrong one spoils the names."""
    if re.search(rb"[\x80-\x9f]", data):  # no letters in Latin-1
        for codec in ("cp932", "gb18030"):
            try:
                data.decode(codec)
            except UnicodeDecodeError:
                continue
            return codec
    elif all(len(run) % 2 == 0 for run in re.findall(rb"[\x80-\xff]+", data)):
        return "gb18030"
    return "latin-1"
