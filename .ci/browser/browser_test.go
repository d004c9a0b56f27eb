// Package browser tests the page of a program and the explorer in Chromium.
package browser

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const patience = 3 * time.Minute // for a step of a test, on a slow machine

// command builds the command stridefuse.
func command(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "stridefuse")
	build := exec.Command("go", "build", "-o", name, "./cmd/stridefuse")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// tab opens a browser's tab. An exception of a script fails the test. Offline, no name of a host is known.
func tab(t *testing.T, offline bool) context.Context {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1500, 900))
	if offline {
		options = append(options, chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"), chromedp.ProxyServer("127.0.0.1:1"))
	}
	ctx, cancel := chromedp.NewContext(t.Context(), chromedp.WithAllocatorOptions(options...), chromedp.WithListener(func(event any) {
		if text := fmt.Sprintf("%T", event); strings.Contains(text, "ExceptionThrown") {
			t.Errorf("exception: %+v", event)
		}
	}))
	t.Cleanup(cancel)
	if _, err := chromedp.Run(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// open opens a page.
func open(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Navigate("about:blank")); err != nil { // so that another fragment is another page
		t.Fatal(err)
	}
	if _, err := chromedp.Run(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
}

// value returns the value of an expression in JavaScript, which may be a promise.
func value[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%.200s: %v", expression, err)
	}
	return v
}

// until waits for a condition in JavaScript.
func until(t *testing.T, ctx context.Context, condition string) {
	t.Helper()
	for begin := time.Now(); !value[bool](t, ctx, "!!("+condition+")"); time.Sleep(50 * time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatalf("never: %s\n%s", condition, value[string](t, ctx, "document.body.innerText"))
		}
	}
}

// set changes a control as a user does.
func set(t *testing.T, ctx context.Context, selector, v string) {
	t.Helper()
	value[string](t, ctx, fmt.Sprintf("{ const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event('input', { bubbles: true })); e.value }", selector, v))
}

// accessible fails the test for what the rules of axe-core find.
func accessible(t *testing.T, ctx context.Context) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Log("accessibility was not checked: there is no npm")
		return
	}
	dir := t.TempDir()
	pack := exec.Command("sh", "-c", npm+" pack --silent axe-core@4.11.0 && tar xzf axe-core-*.tgz")
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Logf("accessibility was not checked: %v\n%s", err, out)
		return
	}
	axe, err := os.ReadFile(filepath.Join(dir, "package", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	value[string](t, ctx, string(axe)+"; ''")
	found := value[string](t, ctx, `axe.run({ iframes: false }).then(r => r.violations.map(v => v.id + ": " + v.help + "\n\t" + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + n.failureSummary).join("\n\t")).join("\n"))`)
	if found != "" {
		t.Errorf("accessibility:\n%s", found)
	}
}

// TestExplorer changes a program in the explorer, with a server and as a folder without a network.
func TestExplorer(t *testing.T) {
	stridefuse := command(t)
	folder := t.TempDir()
	write := exec.Command(stridefuse, "explore", "-out", folder)
	write.Dir = "../.."
	if out, err := write.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	server := exec.Command(stridefuse, "explore", address)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for name, url := range map[string]string{"server": "http://" + address + "/", "folder": "file://" + folder + "/index.html"} {
		t.Run(name, func(t *testing.T) {
			ctx := tab(t, name == "folder")
			open(t, ctx, url)
			const shown = `document.getElementById("took").textContent.startsWith("a run takes")`
			until(t, ctx, shown)
			until(t, ctx, `document.getElementById("page").contentDocument.querySelectorAll(".col").length > 3`)
			set(t, ctx, "#inputs", "x: float32[n]")
			set(t, ctx, "#formula", "x*0 + 7")
			until(t, ctx, `document.getElementById("output").textContent === "float32[8]\n[7. 7. 7. 7. 7. 7. 7. 7.]\n"`)
			set(t, ctx, ".size input[type=range]", "1")
			until(t, ctx, `document.getElementById("output").textContent === "float32[2]\n[7. 7.]\n"`)
			set(t, ctx, "#formula", "sotmax(x)")
			until(t, ctx, `document.getElementById("error").textContent.includes("did you mean softmax?")`)
			set(t, ctx, "#formula", "x*0 + 5")
			until(t, ctx, `document.getElementById("error").textContent === "" && document.getElementById("output").textContent === "float32[2]\n[5. 5.]\n"`)
			link := value[string](t, ctx, "location.href")
			open(t, ctx, link)
			until(t, ctx, `document.getElementById("output").textContent === "float32[2]\n[5. 5.]\n"`)
			accessible(t, ctx)
		})
	}
}

// TestPage clicks, searches and moves in the page of a program, and compares where its parts are.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "program.txt")
	program := `func layer(%x: f32[n,64], %w: f32[64,32], %b: f32[32]) {
  %0 = dot %x, %w : f32[n,32]
  %1 = add %0, %b : f32[n,32]
  %2 = tanh %1 : f32[n,32]
  %3 = sum %2 axes=[1] : f32[n]
  return %2, %3
}
`
	if err := os.WriteFile(text, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "page.html")
	if out, err := exec.Command(command(t), "html", text, "-size", "n=100", "-out", page).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx := tab(t, true)
	open(t, ctx, "file://"+page)
	until(t, ctx, `document.querySelectorAll(".l[data-v]").length > 3`)

	// The columns stand side by side, and the boxes of the picture do not overlap.
	if wrong := value[string](t, ctx, `(() => {
		const box = e => e.getBoundingClientRect(), wrong = [];
		const cols = [...document.querySelectorAll(".col:not(.shut)")];
		for (let i = 1; i < cols.length; i++) if (box(cols[i]).left < box(cols[i-1]).right - 1 || box(cols[i]).top !== box(cols[0]).top) wrong.push("column " + cols[i].dataset.name);
		const boxes = [...document.querySelectorAll(".picture.on .n")];
		for (const a of boxes) for (const b of boxes) {
			const p = box(a), q = box(b);
			if (a !== b && p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1) wrong.push(a.textContent + " over " + b.textContent);
		}
		if (boxes.length < 7) wrong.push(boxes.length + " boxes");
		return wrong.join("; ");
	})()`); wrong != "" {
		t.Errorf("layout: %s", wrong)
	}

	// A click on a line of the graph marks the value in other columns; Escape ends that.
	value[string](t, ctx, `[...document.querySelectorAll(".col[data-name=graph] .l")].find(l => l.textContent.includes("= tanh")).click(); ""`)
	if n := value[int](t, ctx, `new Set([...document.querySelectorAll(".sel")].map(e => e.closest(".col").dataset.name)).size`); n < 3 {
		t.Errorf("a click marks %d columns", n)
	}
	if detail := value[string](t, ctx, `document.getElementById("detail").textContent`); !strings.Contains(detail, "tanh") {
		t.Errorf("the detail is %q", detail)
	}
	value[string](t, ctx, `document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })); ""`)
	if n := value[int](t, ctx, `document.querySelectorAll(".sel").length`); n != 0 {
		t.Errorf("after Escape %d parts are marked", n)
	}

	// Arrows go through the values of the column that has the focus.
	value[string](t, ctx, `{ const pre = document.querySelector(".col[data-name=graph] pre"); pre.focus();
		for (const key of ["ArrowDown", "ArrowDown"]) pre.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); "" }`)
	if line := value[string](t, ctx, `document.querySelector(".col[data-name=graph] .l.sel").textContent`); !strings.Contains(line, "add") {
		t.Errorf("the second value is %q", line)
	}

	// The table of steps is in the order of what is clicked.
	const steps = `[...document.querySelectorAll("tr[data-step]")].map(r => r.dataset.%s).join()`
	value[string](t, ctx, `document.querySelector("[data-sort=bytes]").click(); ""`)
	if wrong := value[bool](t, ctx, `[...document.querySelectorAll("tr[data-step]")].some((r, i, all) => i > 0 && +all[i-1].dataset.bytes < +r.dataset.bytes)`); wrong {
		t.Errorf("the steps by bytes: %s", value[string](t, ctx, fmt.Sprintf(steps, "bytes")))
	}
	value[string](t, ctx, `document.querySelector("[data-sort=step]").click(); ""`)
	if order := value[string](t, ctx, fmt.Sprintf(steps, "step")); !strings.HasPrefix(order, "0,1") {
		t.Errorf("the steps are in the order %s", order)
	}

	// The map has all of the picture once it is larger than its view.
	value[string](t, ctx, `for (let i = 0; i < 8; i++) document.querySelector("[data-zoom='1.25']").click(); ""`)
	if !value[bool](t, ctx, `(() => { const r = document.querySelector(".map.on use").getBoundingClientRect(); return r.width > 10 && r.height > 10; })()`) {
		t.Error("the map is empty")
	}

	set(t, ctx, "#search", "program.txt")
	set(t, ctx, "#where", "op")
	if n := value[int](t, ctx, `document.querySelectorAll(".hit").length`); n != 0 {
		t.Errorf("a search in operations finds %d lines", n)
	}
	set(t, ctx, "#search", "tanh")
	if n := value[int](t, ctx, `document.querySelectorAll(".hit").length`); n == 0 {
		t.Error("a search finds nothing")
	}
	open(t, ctx, "file://"+page+"#select=4")
	until(t, ctx, `document.querySelectorAll(".sel").length > 0`)
	accessible(t, ctx)
}

// TestLayers opens the page of a model of equal layers: they are one row, one line of each text and one box, until they are opened.
func TestLayers(t *testing.T) {
	dir := t.TempDir()
	program := "func model(%x: f32[64,64], %w: f32[64,64]) {\n"
	last := "%x"
	for i := 0; i < 600; i += 6 {
		for k, line := range []string{"dot " + last + ", %w", "tanh %N", "add %N, " + last, "dot %N, %w", "mul %N, %M", "sin %N"} {
			line = strings.NewReplacer("%N", fmt.Sprintf("%%%d", i+k-1), "%M", fmt.Sprintf("%%%d", i+k-2)).Replace(line)
			program += fmt.Sprintf("  %%%d = %s : f32[64,64]\n", i+k, line)
		}
		last = fmt.Sprintf("%%%d", i+5)
	}
	program += "  return " + last + "\n}\n"
	text, page := filepath.Join(dir, "model.txt"), filepath.Join(dir, "page.html")
	if err := os.WriteFile(text, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(command(t), "html", text, "-out", page).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx := tab(t, true)
	open(t, ctx, "file://"+page)
	until(t, ctx, `document.querySelectorAll(".l[data-v]").length > 600`)
	const rows = `[...document.querySelectorAll("tr[data-step]")].filter(r => !r.hidden).length`
	if n := value[int](t, ctx, rows); n > 40 {
		t.Errorf("%d rows of steps", n)
	}
	if n := value[int](t, ctx, `document.querySelectorAll("#graph .n").length`); n > 60 {
		t.Errorf("%d boxes", n)
	}
	for _, column := range []string{"graph", "steps", "schedule"} {
		high := value[float64](t, ctx, fmt.Sprintf(`document.querySelector(".col[data-name=%s] pre").scrollHeight`, column))
		if high > 6000 {
			t.Errorf("%s is %v pixels high", column, high)
		}
	}
	value[string](t, ctx, `document.querySelector("[data-unfold]").click(); ""`)
	if n := value[int](t, ctx, rows); n < 100 {
		t.Errorf("%d rows of steps after a click on a fold", n)
	}
	value[string](t, ctx, `document.querySelector("#graph .fold").dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
	if n := value[int](t, ctx, `document.querySelectorAll("#every.on .n").length`); n < 600 {
		t.Errorf("%d boxes after a click on a fold", n)
	}
	open(t, ctx, "file://"+page+"#select=300")
	until(t, ctx, `[...document.querySelectorAll(".col[data-name=graph] .l.sel")].some(e => e.offsetParent)`)
	if n := value[int](t, ctx, `document.querySelectorAll(".passes tr").length`); n < 10 {
		t.Errorf("%d passes have times", n)
	}
}
