"""
A score that exists already, and its watch
==========================================

Certify a rule that was fixed beforehand on all rows, then watch it after deployment.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from handful import WatchDisplay, validate
from handful.monitoring import CaseWatch, WatchPlan

rng = np.random.default_rng(0)
n = 400
points = rng.integers(0, 4, n)
risk = 1 / (1 + np.exp(3 - 1.6 * points))
table = pd.DataFrame({"qsofa": points, "risk": risk, "sex": rng.choice(["f", "m"], n)})
died = np.where(rng.random(n) < risk, "died", "alive")

found = validate("risk", table, died, threshold=0.3, subgroups=["sex"])
print(found.certificate_.statement())
print(found.together())

# %%
# Limits for all thresholds at once, calibration, net benefit, and the subgroups.
figure, axes = plt.subplots(2, 2, figsize=(11, 8), constrained_layout=True)
found.roc().plot(axes[0, 0])
found.calibration().plot(axes[0, 1])
found.decision().plot(axes[1, 0])
found.forest().plot(axes[1, 1])

# %%
# Later, the score becomes worse after 600 cases. The evidence against the claim grows.
claim = found.certificate_.risk
watch = CaseWatch(WatchPlan(claims=(("error", claim),)))
case = rng.random(1200) < 0.3
errs = rng.random(1200) < np.where(np.arange(1200) < 600, claim / 1.2, 2 * claim)
watch.add(range(1200), np.where(errs, ~case, case), case.astype(int))
print("alarm at case", watch.claims["error"].alarm_case)
WatchDisplay(watch).plot()
plt.show()
