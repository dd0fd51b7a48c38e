"""
A certificate for a whole pipeline
==================================

A scaler fitted on all examples spoils most certificates: the classifier then depends on all of
them. Pick-to-learn trains the whole pipeline on a few picked examples and certifies it by how
few there are. Picking several at a time is faster and costs a little.
"""

# %%
# A pipeline on the breast cancer data, picked one by one and in growing batches.

from time import perf_counter

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import PickToLearn

X, y = load_breast_cancer(return_X_y=True)
pipeline = make_pipeline(StandardScaler(), LogisticRegression())
settings = {
    "one by one": {},
    "5 at a time": {"batch_size": 5},
    "a tenth more": {"batch_size": 0.1},
    "best stop": {"stop": "certificate", "n_initial": 10},
}
names, risks = [], []
for name, options in settings.items():
    start = perf_counter()
    machine = PickToLearn(pipeline, **options).fit(X, y)
    seconds = perf_counter() - start
    certificate = machine.certify()
    names.append(f"{name}\n{machine.picks_.size} picked, {machine.n_rounds_} rounds")
    risks.append(certificate.risk)
    print(f"{name}: {seconds:.2f} s, {machine.n_errors_} errors outside; {certificate}")

# %%
# All four are valid. Which one to use must be decided before looking.

_, ax = plt.subplots(layout="constrained")
ax.bar(names, risks)
ax.set_ylabel("certified risk, 95 % confidence")
plt.show()
