"""What the claim of a score machine is derived from: its sums, all features, labels, the draw."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.verify.audit import Audit, Document, Floats, Ints, Mask
from handful.verify.covers import asked_of, spread
from handful.verify.evaluate import scaled

SCORES = ("constant", "linear", "votes", "kernels", "nonconformity")  # what claims are derived from


@dataclass(frozen=True)
class Evidence:
    """A machine with its training data.

    Attributes
    ----------
    audit : Audit
    document : mapping
        The file.
    form : mapping
        The machine over all features that were offered; of a form that is not known here, over the
        columns of the file.
    X : ndarray
        These features.
    codes : ndarray
        Positions of the labels among the classes.
    wrong : ndarray of bool
        Which rows the machine gets wrong.
    kept : list of int
        Numbers of the examples that the file keeps.
    order : ndarray
        Rows in the order of the draw.
    """

    audit: Audit
    document: Document
    form: Document
    X: Floats
    codes: Ints
    wrong: Mask
    kept: list[int]
    order: Ints

    @property
    def certificate(self) -> Document:
        """What the file claims."""
        found: Document = self.document["certificate"]
        return found

    @property
    def parameters(self) -> Document:
        """Parameters of the machine, by name."""
        found: Document = self.document["training"]["parameters"]
        return found

    @property
    def estimator(self) -> str:
        """Name of the machine."""
        return str(self.document["provenance"]["estimator"])

    @property
    def seed(self) -> int | None:
        """What drew the pools in place of the digest."""
        found: int | None = self.document["data"]["seed"]
        return found

    @property
    def n(self) -> int:
        """Number of training rows."""
        return len(self.X)

    @property
    def delta(self) -> float:
        """The confidence at which the machine itself was certified."""
        return float(self.certificate["delta"] / self.document["training"]["n_groups"])

    def signs(self, k: int, n_sums: int) -> Floats:
        """Labels of the k-th sum: 1 for its class, -1 for the others."""
        return np.where(self.codes == (1 if n_sums == 1 else k), 1.0, -1.0)

    def n_outside(self, rows: Sequence[int]) -> int:
        """Errors outside of some rows."""
        is_outside = np.ones(self.n, dtype=bool)
        is_outside[list(rows)] = False
        return int((self.wrong & is_outside).sum())


def kernel_of(parameters: Document, n_features: int) -> dict[str, Any]:
    """The kernel that the parameters of a machine name."""
    kernel = parameters["kernel"]
    if not isinstance(kernel, str):
        return dict(kernel)
    gamma = parameters["gamma"]
    gamma = 1.0 / max(1, n_features) if gamma == "auto" else float(gamma)
    shape = {"degree": parameters.get("degree"), "coef0": float(parameters["coef0"])}
    return {"name": kernel, "gamma": gamma, **shape}


def kept_numbers(audit: Audit, document: Document, digests: Sequence[bytes]) -> list[int] | None:
    """Kept examples of a machine by number, sorted; equal rows in their order."""
    said: Any = document["kept"]
    if any(isinstance(name, str) for name in said):
        known: dict[Any, int] = {}
        seen: Counter[bytes] = Counter()
        for i, digest in enumerate(digests):
            seen[digest] += 1
            more = "" if seen[digest] == 1 else f":{seen[digest]}"
            known[digest.hex() + more] = i
        said = [known.get(name, -1) if isinstance(name, str) else -1 for name in said]
        absent = said.count(-1)
        if not audit.check("kept examples", not absent, f"{absent} are not in the data"):
            return None
    is_usable = all(type(i) is int and 0 <= i < len(digests) for i in said)
    is_usable = is_usable and all(i < j for i, j in itertools.pairwise(said))
    holds = audit.check("compression set", is_usable, "must be sorted, distinct, existing")
    return list(said) if holds else None


# -- scores over all features ------------------------------------------------------------------


def widened(document: Document, width: int) -> Document:
    """The machine of a file as one over all features."""
    places = [asked.place for asked in asked_of(document)]
    return _wide(document["fitted"]["machine"], places, width)


def _wide(machine: Document, places: Sequence[int], width: int) -> Document:
    kind = machine["machine"]
    if kind == "linear":
        if machine["fill"]:
            raise ValueError("a machine that was trained on complete rows fills none")
        return {**machine, "weights": [spread(row, places, width) for row in machine["weights"]]}
    if kind == "votes":
        votes = [{**v, "features": [places[j] for j in v["features"]]} for v in machine["votes"]]
        return {**machine, "votes": votes}
    if kind == "kernels":
        return {**machine, "parts": [_wide_part(part, places, width) for part in machine["parts"]]}
    if kind == "nonconformity":
        return {**machine, "scorers": [_wide(part, places, width) for part in machine["scorers"]]}
    return machine


def _wide_part(part: Document, places: Sequence[int], width: int) -> Document:
    """A kernel of all columns must have them all, in their order."""
    if part["fill"] is not None:
        raise ValueError("a machine that was trained on complete rows fills none")
    if not all(any(row) for row in part["coefficients"]):
        raise ValueError("an example without a coefficient")
    if part["columns"] is not None:
        return {**part, "columns": [places[j] for j in part["columns"]]}
    if part["centers"] and list(places) != list(range(width)):
        raise ValueError("a kernel of all columns, of which some are left out")
    return part


def sum_views(form: Document) -> list[dict[str, Any]]:
    """Each sum by itself: one for two classes, else one a class.

    ``kind`` is "linear", "votes", "expansion" (of one kernel over all columns) or "kernels".
    """
    kind = form["machine"]
    if kind == "constant":
        label, n = form["label"], form["n_classes"]
        signs = [2.0 * label - 1.0] if n == 2 else [float(k == label) for k in range(n)]
        empty: dict[str, Any] = {"kind": "votes", "features": [], "thresholds": [], "weights": []}
        return [{**empty, "constant": sign} for sign in signs]
    if kind == "votes":
        return [{"kind": "votes", **vote} for vote in form["votes"]]
    if kind == "linear":
        pairs = zip(form["weights"], form["intercepts"], strict=True)
        return [{"kind": "linear", "weights": w, "intercept": b} for w, b in pairs]
    if kind != "kernels":
        raise ValueError(f"there are no sums of a machine of kind {kind!r}")
    return [_kernel_view(form, k) for k in range(len(form["intercepts"]))]


def _kernel_view(form: Document, k: int) -> dict[str, Any]:
    """The k-th sum over its own points."""
    parts = [_own_part(part, k) for part in form["parts"]]
    view: dict[str, Any] = {"kind": "kernels", "intercept": form["intercepts"][k]}
    view |= {"tie": form["tie"], "parts": [part for part in parts if part["points"]]}
    is_one = len(parts) == 1 and parts[0]["columns"] is None and not parts[0]["is_normalised"]
    return {**view, **parts[0], "kind": "expansion"} if is_one else view


def _own_part(part: Document, k: int) -> dict[str, Any]:
    """Points with a coefficient in the k-th sum, as the kernel reads them."""
    weights = [row[k] for row in part["coefficients"]]
    points = [center for center, w in zip(part["centers"], weights, strict=True) if w]
    if points:
        points = scaled(part, np.array(points, dtype=float)).tolist()
    names = ("kernel", "columns", "is_normalised", "center", "scale")
    own: dict[str, Any] = {name: part[name] for name in names}
    return {**own, "points": points, "coefficients": [w for w in weights if w]}
