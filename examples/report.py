# %% [markdown]
# # A report
#
# A notebook that is a Python program: `quire run examples/report.py` writes it with its outputs to a Jupyter file.

# %% tags=["parameters"]
rows = 100
seed = 1

# %% [markdown]
# ## Measure

# %%
import numpy as np

values = np.random.default_rng(seed).exponential(10, rows)
print(f"{rows} values, {values.mean():.1f} on average")

# %% [markdown]
# ## Draw

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(5, 3))
axes.hist(values, bins=20)
axes.set_title("How long people wait")
plt.show()
