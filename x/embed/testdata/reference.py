"""Adds reference.json to the folder of a model: 1,000 comments of Go's sources, and their tokens and vectors by sentence-transformers.

    pip install sentence-transformers==6.2.0
    python reference.py DIR $(go env GOROOT)/src
"""
import json
import pathlib
import random
import re
import sys

from sentence_transformers import SentenceTransformer

comments = set()
for path in sorted(pathlib.Path(sys.argv[2]).rglob("*.go")):
    if not path.is_file():
        continue
    for block in re.findall(r"(?:^[ \t]*//[^\n]*\n)+", path.read_text(errors="replace"), re.M):
        text = " ".join(line.strip().lstrip("/").strip() for line in block.splitlines())
        if 20 < len(text) < 4000:
            comments.add(text)
texts = sorted(comments)
random.seed(7)
random.shuffle(texts)
texts = texts[:1000]
model = SentenceTransformer(sys.argv[1], device="cpu")
ids = model.tokenizer(texts, truncation=True, max_length=model.max_seq_length)["input_ids"]
with open(sys.argv[1] + "/reference.json", "w") as f:
    json.dump({"texts": texts, "ids": ids, "vectors": model.encode(texts, batch_size=16).tolist()}, f)
