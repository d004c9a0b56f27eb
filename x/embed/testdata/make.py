"""Writes ../internal/tiny/tokenizer.json, tokens.json and vectors.json: what the reference implementations answer.

    pip install tokenizers==0.23.3 torch==2.15.0 transformers==5.24.0 numpy
    python make.py
"""
import json
import os
import random

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

here = os.path.dirname(os.path.abspath(__file__))
pieces = "the em bed ##bed ##ding ##ing un ##believ ##able hello world cafe resume a ##a i ##i ##s don ' t 中 文 日 本 の ##の ##ト カ σ ##σ ς ##ς ß ##ss naive - _ . , ! $ [ ] 9 ##9 ½ fi ﬁ ö ##ö o ##o u ##u é ##́ ##̇ İ A THE ##e ##E b ##b".split()
vocabulary = {t: i for i, t in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + list(dict.fromkeys(pieces)))}
special = [(t, vocabulary[t]) for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]


def tokenizer(**rules):
    t = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = normalizers.BertNormalizer(**rules)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    t.add_special_tokens([s for s, _ in special])
    return t


# Characters that the reference's tables of Unicode and Go's have in common.
blocks = [(0, 0x370), (0x370, 0x600), (0x1E00, 0x2000), (0x2000, 0x2070), (0x3040, 0x3100), (0x4E00, 0x4E80), (0xAC00, 0xAC80), (0xF900, 0xF980), (0xFB00, 0xFB07), (0x20000, 0x20020), (0xE000, 0xE010)]
texts = ["", "  ", "Hello, world!", "naïve café résumé", "ﬁ ½ ß ẞ", "日本語のテキスト 中文", "İstanbul I\u0307", "İ I\u0307", "a\u0000b\ufffdc\td\ne\r\nf",
         "zero\u200bwidth\ufeff \u00adsoft", "a" * 100, "a" * 101, "a" * 5000, "unbelievable embedding", "e\u0301 o\u0308\u0323 \u0301", "👍🏽 👨‍👩‍👧",
         "don't", "[CLS] the [SEP][MASK]a[PAD] [UNK]", "[mask] [[SEP]]", "\u3000a\u2003b\u2028c\u2029d\u0085e", "ΑΣΣ ς", "—“’…", "𠀀豈", "K Å Ω", "\x7f\x80\x9f", "_a-b/c\\", "THE the A a"]
random.seed(1)
for _ in range(150):
    s = ""
    for _ in range(random.randint(1, 12)):
        first, last = random.choice(blocks)
        s += random.choice(["the", "embedding", " ", "[SEP]", "A", "able"]) if random.random() < 0.5 else chr(random.randrange(first, last))
    texts.append(s)

modes = {"uncased": {}, "cased": {"lowercase": False}, "accents": {"strip_accents": False}, "plain": {"clean_text": False, "handle_chinese_chars": False}}
out = {"texts": texts, "ids": {}}
for name, rules in modes.items():
    out["ids"][name] = [tokenizer(**rules).encode(s).ids for s in texts]
tokenizer().save(os.path.join(here, "../internal/tiny/tokenizer.json"), pretty=False)
with open(os.path.join(here, "tokens.json"), "w") as f:
    json.dump(out, f, separators=(",", ":"))

# The model of package tiny: element i of parameter j is sin(j + i) divided by 4, and 1 more in scales of layer norms.
models_of = {"mean": "gelu", "cls": "gelu_new", "bare": "relu"}
sentences = ["", "the", "Hello, world!", "unbelievable embedding " * 4, "日本の café"]
vectors = {"texts": sentences, "vectors": {}}
for name, activation in models_of.items():
    config = BertConfig(vocab_size=len(vocabulary), hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40, max_position_embeddings=32, hidden_act=activation)
    model = BertModel(config, add_pooling_layer=False).eval()
    for j, (key, p) in enumerate(sorted(model.named_parameters())):
        values = np.sin(j + np.arange(p.numel(), dtype=np.float64)) / 4 + (1 if "LayerNorm.weight" in key else 0)
        p.data = torch.tensor(values.astype(np.float32)).reshape(p.shape)
    rows = []
    for s in sentences:
        with torch.inference_mode():
            y = model(torch.tensor([tokenizer().encode(s).ids]))[0][0]
        y = y[0] if name == "cls" else y.mean(0)
        y = y / y.norm() if name == "mean" else y
        rows.append([round(float(v), 7) for v in y])
    vectors["vectors"][name] = rows
with open(os.path.join(here, "vectors.json"), "w") as f:
    json.dump(vectors, f, separators=(",", ":"))
