"""The certificate of a file, model or form: the same checks for both."""

from __future__ import annotations

from typing import Any

from handful._codec import ModelFileError
from handful.bounds import Certificate


def read_certificate(value: Any) -> Certificate:
    """The certificate that ``to_dict`` described; no price of it is negative."""
    try:
        certificate = Certificate.from_dict(value)
        if any(term.nats < 0.0 for term in certificate.terms):
            raise ValueError("`terms` must not be negative.")
        return certificate
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"`certificate` is not usable: {error}") from error
