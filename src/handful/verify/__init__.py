"""An auditor's second opinion: is a model file what it says it is?

What lives here: code that reads a model file and the training data and recomputes everything
the file claims. Thresholds are rebuilt from the kept examples, pools are drawn again from the
seed, errors are counted again, every term of the message is computed from its own formula, and
the bound is evaluated in fifty-digit arithmetic. What does not: any import from the rest of the
package. The two must agree although they share no code.

To add a check: a function in the file of its subject that adds findings to the `Audit`, and a
test that tampers with the number it protects. What cannot be derived again is put on the list
``trusted`` and shown, not passed over in silence.
"""

from handful.verify._audit import Finding, Verdict
from handful.verify._document import content_hash
from handful.verify._verify import ModelVerifier, verify_model
from handful.verify._verify_form import FormVerifier, verify_form

__all__ = [
    "Finding",
    "FormVerifier",
    "ModelVerifier",
    "Verdict",
    "content_hash",
    "verify_form",
    "verify_model",
]
