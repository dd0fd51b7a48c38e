"""The auditor's own reader."""

import json

import pytest

from handful.files.document import content_hash as writer_hash
from handful.verify import content_hash
from handful.verify.sealed import UnreadableFileError, read_document


def test_hash_minds_digits_not_layout():
    assert content_hash('{"a": 1.50}') != content_hash('{"a": 1.5}')
    assert content_hash('{"a": "1"}') != content_hash('{"a": 1}')
    assert content_hash('{"a":1,"content_sha256":"0f"}') == content_hash('{"a": 1}')


TEXTS = [
    '{"a": [1, 2.5e-7], "b": {"c": null}}',
    '{"é": "\\u00e9", "content_sha256": "0a"}',
    r'{"a \" b": "c\\", "d" : "e  f\\\" g",  "h":1}',
    r'{"\"content_sha256\":\"00\"": 1}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_writer_and_auditor_agree(text):
    assert content_hash(text) == writer_hash(text)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1]",
        b'{"a": 1, "a": 2}',
        b"\xff\xfe",
        b"{",
        b'{"a": NaN}',
        b"[" * 100_000,
        b'{"a": ' + b"1" * 5000 + b"}",
    ],
)
def test_unreadable(content, tmp_path):
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(UnreadableFileError):
        read_document(tmp_path / "m.json")


def test_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("handful.verify.sealed.MAX_BYTES", 10)
    (tmp_path / "m.json").write_text(json.dumps({"a": "b" * 20}))
    with pytest.raises(UnreadableFileError, match="larger than"):
        read_document(tmp_path / "m.json")
