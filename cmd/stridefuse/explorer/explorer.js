// The explorer asks for a program's page each time that its text or sizes change. The question is part of the address, so
// a link has the program.

const $ = id => document.getElementById(id);
const examples = {
  "softmax": ["softmax(x, axis=-1)", "x: float32[n,64]"],
  "a chain of operations": ["(a*b + c)*a - b/(abs(c) + 1)", "a: float32[n]\nb: float32[n]\nc: float32[n]"],
  "standardized columns": ["(x - x.mean(0)) / x.std(0, ddof=1)", "x: float64[n,5]"],
  "a stencil": ["(x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])/4 - x[1:-1, 1:-1]", "x: float32[n,n]"],
  "a layer": ["maximum(x @ w + b, 0)", "x: float32[n,32]\nw: float32[32,16]\nb: float32[16]"],
};
const graphExample = "func scaled(%x: f32[n,3], %w: f32[3]) {\n  %0 = mul %x, %w : f32[n,3]\n  %1 = sum %0 axes=[1] : f32[n]\n  return %1\n}\n";
const largest = 4096; // of a slider; the number beside it may be larger

let sizes = {}, model = null;
for (const name in examples) $("example").append(new Option(name));

// ask answers a question: here if the page has an engine, else by its server.
let engine = null;
async function ask(question) {
  const text = JSON.stringify(question);
  if (typeof stridefuseEngine === "undefined") {
    const response = await fetch("answer", { method: "POST", body: text });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }
  engine ||= start();
  await engine;
  return JSON.parse(await stridefuseAnswer(text));
}

async function start() {
  const packed = Uint8Array.from(atob(stridefuseEngine), c => c.charCodeAt(0));
  const code = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
  const go = new Go();
  go.argv = ["stridefuse", "explore"];
  const { instance } = await WebAssembly.instantiate(await code.arrayBuffer(), go.importObject);
  go.run(instance);
  while (typeof stridefuseAnswer === "undefined") await new Promise(done => setTimeout(done, 5));
}

function question() {
  const q = { Sizes: sizes, Tiling: $("tiling").checked };
  switch ($("kind").value) {
    case "formula": q.Formula = $("formula").value; q.Inputs = $("inputs").value; break;
    case "graph": q.Graph = $("graph").value; break;
    case "model": q.Model = model;
  }
  return q;
}

let waiting = 0, asked = 0;
function changed() {
  asked++; // an answer that is on its way is of older sizes
  clearTimeout(waiting);
  waiting = setTimeout(update, 300);
}

async function update() {
  const q = question(), number = ++asked;
  history.replaceState(null, "", "#" + encodeURIComponent(JSON.stringify({ ...q, Model: undefined, kind: $("kind").value })));
  if (!q.Formula && !q.Graph && !q.Model) return;
  $("took").textContent = "...";
  let r;
  try { r = await ask(q); } catch (e) { r = { Error: e.message }; }
  if (number !== asked) return; // a later question is on its way
  $("error").textContent = r.Error || "";
  $("took").textContent = r.Took ? `a run takes ${r.Took}` : "";
  if (r.Sizes) showSizes(r.Sizes);
  if (r.Error) return;
  $("output").textContent = r.Output;
  $("page").srcdoc = r.Page;
}

// showSizes makes a slider and a number for each size. The slider is logarithmic.
function showSizes(all) {
  const names = Object.keys(all).sort();
  sizes = all;
  const have = [...$("sizes").children].map(e => e.dataset.name);
  if (have.join() === names.join()) return;
  $("sizes").replaceChildren(...names.map(name => {
    const row = document.createElement("label"), slider = document.createElement("input"), number = document.createElement("input");
    row.className = "size";
    row.dataset.name = name;
    Object.assign(slider, { type: "range", min: 0, max: Math.log2(largest), step: 0.25, value: Math.log2(Math.max(all[name], 1)) });
    Object.assign(number, { type: "number", min: 0, value: all[name] });
    slider.setAttribute("aria-label", "size " + name);
    slider.oninput = () => { number.value = Math.round(2 ** slider.value); number.oninput(); };
    number.oninput = () => { sizes = { ...sizes, [name]: +number.value }; changed(); };
    row.append(name, slider, number);
    return row;
  }));
}

function showKind() {
  for (const e of document.querySelectorAll("[data-kind]")) e.hidden = e.dataset.kind !== $("kind").value;
}

function showExample() {
  [$("formula").value, $("inputs").value] = examples[$("example").value];
}

$("program").addEventListener("submit", event => event.preventDefault());
$("kind").oninput = () => { showKind(); changed(); };
$("example").oninput = () => { showExample(); changed(); };
for (const id of ["formula", "inputs", "graph", "tiling"]) $(id).addEventListener("input", changed);
$("model").oninput = async () => {
  const file = $("model").files[0];
  if (!file) return;
  const url = await new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
  model = url.slice(url.indexOf(",") + 1);
  sizes = {};
  changed();
};

$("graph").value = graphExample;
showExample();
try {
  const q = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  $("kind").value = q.kind || "formula";
  if (q.Formula) $("formula").value = q.Formula;
  if (q.Inputs !== undefined) $("inputs").value = q.Inputs;
  if (q.Graph) $("graph").value = q.Graph;
  $("tiling").checked = !!q.Tiling;
  sizes = q.Sizes || {};
} catch { /* no program in the address */ }
showKind();
update();
