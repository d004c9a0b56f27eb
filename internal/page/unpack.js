// The body of a large page is deflated.
const packed = Uint8Array.from(atob(document.getElementById("packed").textContent), c => c.charCodeAt(0));
document.body.innerHTML = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
