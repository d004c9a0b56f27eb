// Columns are texts of the compiler. Each line gets the origins that it is about, data-v:
// from its comment "// v:7", or from the step or task that it belongs to. A click selects
// origins and marks what has one of them.

const whys = document.getElementById("whys").textContent.split("\n");
const values = document.getElementById("values").textContent.split("\n").slice(0, -1).map(line => {
  const [steps, site, source, text, notes] = line.split("\t");
  return { steps: numbers(steps), site, source, text, notes: numbers(notes).map(n => whys[n]).join("; ") };
});

const folds = document.getElementById("folds").textContent.split("\n").slice(0, -1).map(line => {
  const [first, last, text] = line.split("\t");
  return { first: +first, last: +last, text: `steps ${first} to ${last}: ${text}` };
});
function foldOf(step) { return folds.findIndex(f => f.first <= step && step <= f.last); }

function numbers(text) { return text ? text.split(" ").map(Number) : []; }
function hue(step) { return Math.floor(step * 1375 / 10) % 360; }
function escaped(s) { return s.replace(/&/g, "&amp;").replace(/</g, "&lt;"); }

// about returns the origins and the step of each line of a text.
// Only the level of steps has the decisions, so that the steps of values are known. (Where
// constants are computed once, the numbers of steps before that level are others.)
function about(lines, final) {
  const out = lines.map(() => ({ v: [], step: -1, from: -1 })); // from: the step, or the first of several
  const names = new Map(), steps = new Map(); // of values and buffers; of steps: their origins
  const tag = line => { const m = /\/\/ v:(\d+)\s*$/.exec(line); return m ? [m[1] - 1] : []; };
  const add = (map, key, vs) => map.set(key, [...new Set([...(map.get(key) || []), ...vs])]);
  if (final) values.forEach((x, v) => x.steps.forEach(s => add(steps, s, [v])));
  lines.forEach((line, i) => {
    let m;
    if ((m = /^func .*?\((.*)\)/.exec(line))) [...m[1].matchAll(/%("[^"]*"|\w+):/g)].forEach((p, k) => names.set(p[1], [k]));
    if ((m = /^\s+%(\d+) = param \S+ (\d+)/.exec(line))) names.set(m[1], +m[2] < values.length && !values[m[2]].text.includes(" = ") ? [+m[2]] : []);
    else if ((m = /^\s+%(\d+) =/.exec(line))) names.set(m[1], tag(line));
    if ((m = /^\s+step (\d+) /.exec(line))) add(steps, +m[1], tag(line));
    if ((m = /^\s+# \w+ \S+ step=(\d+) /.exec(line))) add(steps, +m[1], tag(line));
    out[i].v = tag(line);
  });
  let first = -1, last = -1, only = -1, signatures = new Map();
  lines.forEach((line, i) => {
    let m;
    if ((m = /^  step (\d+) /.exec(line))) { first = last = +m[1]; only = -1; }
    else if ((m = /^  task \d+ steps=(\d+)\.\.(\d+)/.exec(line))) { first = +m[1]; last = +m[2]; only = -1; signatures = new Map(); }
    else if ((m = /^    # step (\d+):.* kernel="(.*?)" engine/.exec(line))) { only = +m[1]; signatures.set(m[2], only); }
    else if ((m = /^ +call (.*)/.exec(line))) only = signatures.has(m[1]) ? signatures.get(m[1]) : -1;
    else if (/^    (\$|part)|^ +(for|\})/.test(line)) only = -1;
    else if (/^(  \S|\})/.test(line)) first = last = only = -1;
    const o = out[i];
    o.from = first;
    if (first >= 0 && !/^\s+# \w+ \S+ step=/.test(line)) {
      const [a, b] = only >= 0 ? [only, only] : [first, last];
      o.step = a === b ? a : -1;
      if (a === b || /^  task/.test(line)) for (let s = a; s <= b; s++) o.v.push(...(steps.get(s) || []));
      const write = /->(.*)/.exec(line);
      if (write && /^    %/.test(line)) for (const b of write[1].matchAll(/%(\d+)/g)) if (!(names.get(b[1]) || []).length) names.set(b[1], o.v);
    } else if (o.v.length && values[o.v[0]] && values[o.v[0]].steps.length) o.step = values[o.v[0]].steps[0];
    if ((m = /^\/\/ group \d+:(.*)/.exec(line))) for (const n of m[1].matchAll(/%(\w+)/g)) o.v.push(...(names.get(n[1]) || []));
    o.v = [...new Set(o.v)];
    if (o.from < 0) o.from = o.step;
  });
  return { out, names };
}

const columns = new Set([...document.querySelectorAll(".col")].map(c => c.dataset.name));

// render makes the lines of a column, with runs of decisions folded.
function render(pre) {
  const own = pre.parentElement.dataset.name, lines = pre.textContent.replace(/\n$/, "").split("\n"), cell = /^( *%\S+ = .*?) : /, { out, names } = about(lines, own === "schedule" || own === "steps" || !columns.has("once"));
  const notes = line => /^\s+# (not|fused|materialized|copied|staged|recomputed|rewritten) /.test(line);
  const wide = Math.min(64, Math.max(0, ...lines.map(line => (cell.exec(line) || ["", ""])[1].length)));
  let html = "", open = -1; // the fold that is open
  const buffer = line => /^  %\d+ = (param|result|const|temp|scratch|iota) /.test(line) && (own === "schedule" || own === "steps");
  const first = lines.findIndex(buffer), buffers = lines.filter(buffer).length, many = buffers > 50;
  lines.forEach((line, i) => {
    const end = /^\S|^  (# |return|rows)/.test(line), f = end ? -1 : foldOf(out[i].from);
    if (f !== open && (end || out[i].from >= 0)) {
      if (open >= 0) html += "</details>";
      if ((open = f) >= 0) html += `<details class="fold"><summary>${escaped(folds[f].text)}</summary>`;
    }
    if (many && i === first) html += `<details><summary>${buffers} buffers</summary>`;
    const run = notes(line) && (i === 0 || !notes(lines[i - 1]));
    if (run) {
      let n = i;
      while (n < lines.length && notes(lines[n])) n++;
      html += `<details><summary>${n - i} ${/# not/.test(line) ? "strategies not taken" : "decisions"}</summary>`;
    }
    const at = out[i], site = /\/\/ v:(\d+)\s*$/.exec(line);
    let text = escaped(line.replace(/\s*\/\/ v:\d+\s*$/, "").replace(cell, (_, head) => head.padEnd(wide) + " : "));
    text = text.replace(/^(\s*%\S+ = )(\w+)/, (_, a, op) => a + `<span class="o">${op}</span>`);
    text = text.replace(/%(\w+)/g, (t, name) => names.has(name) && names.get(name).length ? `<span class="v" data-v="${names.get(name).join(" ")}">${t}</span>` : t);
    if (site && values[site[1] - 1] && values[site[1] - 1].site) text += ` <span class="c">// ${escaped(values[site[1] - 1].site)}</span>`;
    const step = at.step >= 0 ? ` step" style="--h:${hue(at.step)}` : "";
    html += `<span class="l${step}"${at.v.length ? ` data-v="${at.v.join(" ")}"` : ""}>${text || " "}</span>`;
    if (notes(line) && (i + 1 === lines.length || !notes(lines[i + 1]))) html += "</details>";
    if (many && i === first + buffers - 1) html += "</details>";
  });
  pre.innerHTML = html + (open >= 0 ? "</details>" : "");
}
document.querySelectorAll(".col > pre").forEach(render);

// Texts where the pointer rests.
document.querySelectorAll(".view").forEach(view => view.addEventListener("pointerover", event => {
  const g = event.target.closest(".n, .e.cut");
  if (!g || g.querySelector("title")) return;
  const title = document.createElementNS(g.namespaceURI, "title");
  title.textContent = g.dataset.w ? "not fused: " + whys[g.dataset.w] : numbers(g.dataset.v).map(v => values[v].text).join("\n");
  g.append(title);
}));

// The table of steps, by the column whose title is clicked: numbers from the greatest, steps from the first.
for (const head of document.querySelectorAll("[data-sort]")) head.addEventListener("click", () => {
  const by = head.dataset.sort, body = head.closest("table").tBodies[0];
  const order = (a, b) => (by === "step" ? 0 : b.dataset[by] - a.dataset[by]) || a.dataset.step - b.dataset.step;
  body.append(...[...body.rows].sort(order));
  for (const row of body.rows) if (row.dataset.fold || row.className === "fold") row.hidden = (row.className === "fold") !== (by === "step"); // other orders have all steps
  for (const th of head.closest("tr").cells) if (th.hasAttribute("aria-sort")) th.setAttribute("aria-sort", th.contains(head) ? (by === "step" ? "ascending" : "descending") : "none");
});

for (const b of document.querySelectorAll("[data-unfold]")) b.addEventListener("click", () => {
  for (const row of document.querySelectorAll(`[data-fold="${b.dataset.unfold}"]`)) row.hidden = !row.hidden;
});

// Selection.
const marked = [...document.querySelectorAll("[data-v]")].filter(e => e.dataset.v !== "" && !e.classList.contains("v"));
const byOrigin = new Map();
for (const e of marked) for (const v of numbers(e.dataset.v)) {
  if (!byOrigin.has(v)) byOrigin.set(v, []);
  byOrigin.get(v).push(e);
}
let selected = [];

function select(origins, from) {
  for (const v of selected) for (const e of byOrigin.get(v) || []) e.classList.remove("sel");
  selected = origins;
  for (const v of origins) for (const e of byOrigin.get(v) || []) e.classList.add("sel");
  for (const col of document.querySelectorAll(".col:not(.shut)")) {
    if (from && col.contains(from)) continue;
    const all = [...col.querySelectorAll(".l.sel, tr.sel, article.sel")];
    if (all.length && !all.some(e => e.offsetParent)) { // in a fold
      const around = all[0].closest("details");
      if (around) around.open = true;
      if (all[0].hidden) all[0].hidden = false;
    }
    const e = all.find(e => e.offsetParent);
    const box = e && e.closest("pre, .body");
    if (!box) continue;
    const y = e.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (y < 0 || y > box.clientHeight - 30) box.scrollTop += y - box.clientHeight / 3;
  }
  if (!from || !from.closest(".view")) show(origins);
  detail(origins);
}

function detail(origins) {
  const most = 6;
  document.getElementById("detail").innerHTML = origins.slice(0, most).map(v => {
    const x = values[v];
    if (!x) return "";
    const steps = x.steps.length ? ` <b>step ${x.steps.join(", ")}</b>` : "";
    const source = x.site ? ` <b>${escaped(x.site)}</b> <code class="src">${escaped(x.source)}</code>` : "";
    return `<div><code>${escaped(x.text)}</code>${steps}${source}${x.notes ? ` <span class="why">${escaped(x.notes)}</span>` : ""}</div>`;
  }).join("") + (origins.length > most ? `<div>and ${origins.length - most} more</div>` : "");
}

document.getElementById("columns").addEventListener("click", event => {
  const head = event.target.closest("h2");
  if (head) { head.parentElement.classList.toggle("shut"); fit(); return; }
  if (event.target.closest("summary, button") || dragged) return;
  const e = event.target.closest("[data-v]");
  if (e && e.dataset.v !== "") select(numbers(e.dataset.v), e);
});
document.addEventListener("keydown", event => { if (event.key === "Escape") { select([]); search.value = ""; find(); } });

// Keys: Enter folds a column whose title has the focus; arrows go from value to value in the column that has it.
for (const head of document.querySelectorAll("h2")) head.tabIndex = 0;
document.getElementById("columns").addEventListener("keydown", event => {
  const head = event.target.closest("h2"), by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (head && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); head.click(); }
  if (head || !by) return;
  const lines = [...event.target.querySelectorAll(".l[data-v], tr[data-v]")].filter(e => e.dataset.v !== "" && e.offsetParent);
  if (!lines.length) return;
  event.preventDefault();
  const now = lines.findIndex(e => e.classList.contains("sel")), next = lines[now < 0 ? (by > 0 ? 0 : lines.length - 1) : Math.min(Math.max(now + by, 0), lines.length - 1)];
  select(numbers(next.dataset.v), next);
  next.scrollIntoView({ block: "nearest" });
});

// Search marks lines and boxes; Enter goes from one found value to the next.
const search = document.getElementById("search"), where = document.getElementById("where");
const searched = {
  all: x => `${x.text} ${x.site} ${x.source} ${x.notes}`,
  op: x => (/ = (\w+)/.exec(x.text) || ["", ""])[1],
  line: x => `${x.site} ${x.source}`,
};
let found = [], at = -1;
function find() {
  for (const e of document.querySelectorAll(".hit")) e.classList.remove("hit");
  const text = search.value.trim().toLowerCase();
  at = -1;
  found = text ? values.map((x, v) => v).filter(v => searched[where.value](values[v]).toLowerCase().includes(text)) : [];
  for (const v of found) for (const e of byOrigin.get(v) || []) if (e.matches(".n, .l")) e.classList.add("hit");
  document.getElementById("found").textContent = text ? `${found.length} found` : "";
}
search.addEventListener("input", find);
where.addEventListener("input", find);
search.addEventListener("keydown", event => {
  if (event.key === "Enter" && found.length) select([found[at = (at + 1) % found.length]]);
});

// The picture: drag to move, wheel to zoom.
// The map in its corner has all of it, and a frame around what is seen; a click there moves it.
const view = document.querySelector(".view"), map = view.querySelector(".map"), frame = map.querySelector("rect");
let picture, box, dragged = false, down = null;
function put() {
  picture.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
  const all = whole();
  map.classList.toggle("on", box.w < all.w - 1 || box.h < all.h - 1);
  for (const k of ["x", "y"]) frame.setAttribute(k, box[k]);
  frame.setAttribute("width", box.w);
  frame.setAttribute("height", box.h);
}
function whole() { return { x: -10, y: -10, w: +picture.dataset.w, h: +picture.dataset.h }; }
function fit() { // to the width, from the top, at a size that can be read
  const all = whole(), wide = view.clientWidth || 600, high = view.clientHeight || 600;
  const scale = Math.max(Math.min(wide / all.w, high / all.h, 1.15), 0.8);
  box = { w: wide / scale, h: high / scale };
  const first = picture.querySelector(".n:not(.given)"), x = first && all.w > box.w && /translate\((\S+)/.exec(first.getAttribute("transform"));
  box.x = x ? x[1] - box.w / 2 : all.x + (all.w - box.w) / 2;
  box.y = all.h <= box.h ? all.y + (all.h - box.h) / 2 : all.y - 46 / scale;
  put();
}
function zoom(by, x = box.x + box.w / 2, y = box.y + box.h / 2) {
  box = { x: x + (box.x - x) / by, y: y + (box.y - y) / by, w: box.w / by, h: box.h / by };
  put();
}
function show(origins) { // the first selected box
  const n = picture && origins.length && (byOrigin.get(origins[0]) || []).find(e => picture.contains(e) && e.matches(".n:not(.stub)"));
  if (!n) return;
  const m = /translate\((\S+) (\S+)\)/.exec(n.getAttribute("transform")), x = +m[1], y = +m[2];
  if (x > box.x + 20 && x < box.x + box.w - 20 && y > box.y + 60 && y < box.y + box.h - 20) return;
  box.x = x - box.w / 2; box.y = y - box.h / 2;
  put();
}
function draw(id) {
  document.querySelectorAll(".picture").forEach(p => p.classList.toggle("on", p.id === id));
  document.querySelectorAll("[data-show]").forEach(b => b.classList.toggle("on", b.dataset.show === id));
  picture = document.getElementById(id);
  map.querySelector("use").setAttribute("href", `#${id}-all`);
  map.setAttribute("viewBox", `-10 -10 ${picture.dataset.w} ${picture.dataset.h}`);
  fit();
}
view.addEventListener("click", event => {
  if (event.target.closest(".fold") && !dragged) return draw(document.getElementById("every") ? "every" : "graph");
  const b = event.target.closest("button");
  if (!b) return;
  if (b.dataset.show) draw(b.dataset.show);
  else if (+b.dataset.zoom) zoom(+b.dataset.zoom);
  else { box = whole(); put(); }
});
map.addEventListener("pointerdown", event => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
  box.x = at.x - box.w / 2; box.y = at.y - box.h / 2;
  put();
  event.stopPropagation();
});
view.addEventListener("wheel", event => {
  event.preventDefault();
  const r = picture.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY / 500), box.x + (event.clientX - r.left) / r.width * box.w, box.y + (event.clientY - r.top) / r.height * box.h);
}, { passive: false });
view.addEventListener("pointerdown", event => { down = { x: event.clientX, y: event.clientY, box: { ...box } }; dragged = false; });
window.addEventListener("pointermove", event => {
  if (!down) return;
  const k = box.w / view.clientWidth, x = event.clientX - down.x, y = event.clientY - down.y;
  if (Math.abs(x) + Math.abs(y) > 4) dragged = true;
  if (dragged) { box = { ...down.box, x: down.box.x - x * k, y: down.box.y - y * k }; put(); }
});
window.addEventListener("pointerup", () => { down = null; setTimeout(() => { dragged = false; }); });

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
// Links to a place: #theme=dark&select=3&open=steps,schedule&picture=flow
const hash = new URLSearchParams(location.hash.slice(1));
if (hash.get("open")) for (const c of document.querySelectorAll(".col")) c.classList.toggle("shut", !hash.get("open").split(",").includes(c.dataset.name));
if (hash.get("theme")) document.documentElement.dataset.theme = hash.get("theme");
draw(hash.get("picture") === "flow" && document.getElementById("flow") ? "flow" : "graph");
if (hash.get("select")) select(numbers(hash.get("select").replaceAll(",", " ")));
