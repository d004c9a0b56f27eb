"""Writes the handwritten digits of the University of California, Irvine, as four .npy files, uint8, 64 pixels from 0 to 16 for
each of 1797 digits, and what they are, 0 to 9, as labels.npy. They come with scikit-learn.

E. Alpaydin and C. Kaynak: Optical Recognition of Handwritten Digits, UCI Machine Learning
Repository, 1998, CC BY 4.0.
"""

import numpy as np
from sklearn.datasets import load_digits

digits = load_digits()
for i, part in enumerate(np.array_split(digits.data.astype("uint8"), 4)):
    np.save(f"digits{i}.npy", part)
np.save("labels.npy", digits.target.astype("uint8"))
