"""Documents: hashed, bounded."""

import json

import pytest

from handful.files import ModelFileError
from handful.files.document import (
    HASH_FIELD,
    content_hash,
    from_text,
    read_text_of,
    to_text,
)


def test_hash_is_the_last_field_and_fits():
    text = to_text({"format": "handful-model", "x": [0.1, 1]})
    data = json.loads(text)
    assert list(data)[-1] == HASH_FIELD
    assert data[HASH_FIELD] == content_hash(text) == content_hash(json.dumps(data))
    assert from_text(text) == data
    assert to_text(data) == text


def test_an_altered_file_is_refused():
    text = to_text({"format": "handful-model", "x": 0.1})
    with pytest.raises(ModelFileError, match="altered or damaged"):
        from_text(text.replace("0.1", "0.2"))
    with pytest.raises(ModelFileError, match="altered or damaged"):
        from_text(text.replace("0.1", "0.10"))


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, '{"a": Infinity}', '{"a": 1, "a": 2}', '{"a": ' + "9" * 5000 + "}"]
)
def test_what_is_no_document(text):
    with pytest.raises(ModelFileError):
        from_text(text)


def test_size_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("handful.files.document.MAX_BYTES", 10)
    (tmp_path / "m.json").write_text("x" * 11)
    with pytest.raises(ModelFileError, match="larger than"):
        read_text_of(tmp_path / "m.json")
