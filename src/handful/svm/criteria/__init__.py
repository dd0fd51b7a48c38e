"""Numbers to choose a support vector machine by, without a guarantee.

What lives here: the geometry of a fitted machine (margin, radius, spectrum, cells), the code
lengths C1 to C5, the span estimate, and the registry ``CRITERIA`` with the table over a grid.
What does not: certificates, which are statements about new cases.

To add a criterion: write a function of a `Geometry`, enter it in ``CRITERIA`` and give it a
twin in ``tests/oracles/svm.py``.
"""
