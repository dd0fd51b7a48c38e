"""Ground floor for data: what a table is, before anything is learned from it.

What lives here: digests of rows and tables, and the order that they give the rows, from which
every pool is drawn; whether rows were seen before; the weight of a row from that of its class. What
does not: anything that looks at the relation of features and labels.
"""

from handful.tables._blind import BlindOrder, blind_order
from handful.tables._cases import canonical_order, check_examples, check_rows, uniform_draws
from handful.tables._digests import RowDigests, is_missing, row_digests, table_digest, word_of
from handful.tables._encode import Encoding, fit_encoding
from handful.tables._kinds import Column
from handful.tables._seen import SeenRows
from handful.tables._study import Choices, Study, read_study
from handful.tables._weights import class_weights

__all__ = [
    "BlindOrder",
    "Choices",
    "Column",
    "Encoding",
    "RowDigests",
    "SeenRows",
    "Study",
    "blind_order",
    "canonical_order",
    "check_examples",
    "check_rows",
    "class_weights",
    "fit_encoding",
    "is_missing",
    "read_study",
    "row_digests",
    "table_digest",
    "uniform_draws",
    "word_of",
]
