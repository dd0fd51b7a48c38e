"""
A first certificate
===================

Learn a rule from 683 examples, read it, and see what its certificate pays.
"""

import matplotlib.pyplot as plt

from handful import (
    BoundPathDisplay,
    CertificateDisplay,
    RulesDisplay,
    SetCoveringMachine,
    load_dataset,
)

X, y = load_dataset("breastw").named()
machine = SetCoveringMachine(random_state=0).fit(X, y)
print(machine.explain())

# %%
# The certificate along the path, its price, and the rule in the plane of two features.
figure, axes = plt.subplots(1, 3, figsize=(15, 4), constrained_layout=True)
BoundPathDisplay.from_estimator(machine).plot(axes[0])
CertificateDisplay(machine.certificate_).plot(axes[1])
RulesDisplay.from_estimator(machine, X, y).plot(axes[2])
plt.show()
