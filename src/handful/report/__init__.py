"""Pictures of results: displays hold data, plotting is a method.

What lives here: ``*Display`` classes with ``from_estimator``, ``frame()`` and ``plot()``.
matplotlib is imported inside ``plot``. What does not: computing what is shown.
"""

from handful.report._displays import BoundPathDisplay, CertificateDisplay, RulesDisplay

__all__ = ["BoundPathDisplay", "CertificateDisplay", "RulesDisplay"]
