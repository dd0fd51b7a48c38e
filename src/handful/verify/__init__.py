"""An auditor's second opinion: is a model file what it says it is?

What lives here: code that reads a model file and the training data and recomputes everything
the file claims. Thresholds are rebuilt from the kept examples, pools are drawn again from the
seed, errors are counted again, every price is computed from its own formula, and the bound is
evaluated in fifty-digit arithmetic. What does not: any import from the rest of the package. The two
must agree although they share no code.

To add a form: one function in `evaluate`. To add a machine: one function from `Evidence` to its
`Claim`, and an entry in `CLAIMS`. To add a check: a function in the file of its subject that adds
findings to the `Audit`, and a test that tampers with the number it protects. What cannot be derived
again is put on the list ``trusted`` or ``unverified`` and shown, not passed over in silence.
"""

from handful.verify.audit import Audit, Finding, Verdict
from handful.verify.claims import LANGFORD, Claim, confidence
from handful.verify.evaluate import ClassSums, form
from handful.verify.evidence import Evidence
from handful.verify.machine_check import CLAIMS
from handful.verify.score_check import verify_validation
from handful.verify.sealed import content_hash
from handful.verify.verifier import Verifier, verify_model
from handful.verify.watch_check import verify_watch

__all__ = [
    "CLAIMS",
    "LANGFORD",
    "Audit",
    "Claim",
    "ClassSums",
    "Evidence",
    "Finding",
    "Verdict",
    "Verifier",
    "confidence",
    "content_hash",
    "form",
    "verify_model",
    "verify_validation",
    "verify_watch",
]
