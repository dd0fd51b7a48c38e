"""One module for each published table: data plus code, ours beside theirs.

What lives here: ``SPEC`` (what is run), ``run`` (rows), ``TABLES`` (name -> function that gives a
data frame with ours, theirs and the difference), and the published numbers in ``expected``.
What does not: anything that other modules need; nobody imports this folder but the command line.
"""
