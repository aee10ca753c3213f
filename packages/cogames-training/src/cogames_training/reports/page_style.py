"""The stylesheet and the script of the page of runs, for light and dark themes."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f9; --ink: #1b1f24; --quiet: #57606a; --line: #d4d9e0; --grid: #e6e9ee;
  --accent: #0b6bcb; --good: #1a7f37; --bad: #b42318;
  --c0: #0b6bcb; --c1: #c2571a; --c2: #1a7f37; --c3: #8a3ffc; --c4: #b8317f; --c5: #00798c; --c6: #8a6d00;
  --c7: #6b7280; --c8: #c0392b; --c9: #4b5aa8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --card: #1d2129; --ink: #e6e9ee; --quiet: #9aa4b2; --line: #343b47; --grid: #2a303a;
    --accent: #6cb2ff; --good: #3fae63; --bad: #f0806f;
    --c0: #6cb2ff; --c1: #f0965a; --c2: #5cc97f; --c3: #b794ff; --c4: #f07fbb; --c5: #4cc3d4; --c6: #d9b93b;
    --c7: #a6adba; --c8: #ff8f80; --c9: #9aa7f0;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 84rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 .9rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere; }
section { margin-top: 2.25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
code, pre { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 0; padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  white-space: pre-wrap; }
.quiet { color: var(--quiet); }
p.quiet { font-size: .9rem; max-width: 60rem; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; vertical-align: baseline; padding: .4rem 1.25rem .4rem 0;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); white-space: nowrap; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.swatch { display: inline-block; width: .8em; height: .8em; margin-right: .5em; border-radius: .2em;
  background: currentColor; }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .75rem; padding: 0; list-style: none;
  font-size: .9rem; }
.axis { display: inline-flex; gap: 1.25rem; margin: 1rem 0 0; padding: 0; border: 0; font-size: .95rem; }
.axis legend { float: left; padding: 0; margin-right: .75rem; color: var(--quiet); }
input { accent-color: var(--accent); }
.charts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }
figure { position: relative; margin: 0; padding: .75rem .75rem .5rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .6rem; }
figcaption { font-size: .9rem; margin-bottom: .25rem; overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg .grid { stroke: var(--grid); stroke-width: 1; }
svg .tick { fill: var(--quiet); font: 11px system-ui, sans-serif; }
svg .end { text-anchor: end; }
svg .last { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .curve { fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linejoin: round; }
svg .dot { fill: currentColor; }
svg .band { fill: currentColor; opacity: .16; }
svg .area { fill: currentColor; opacity: .75; stroke: var(--card); stroke-width: .75; }
svg .cursor { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 3 3; }
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
.c4 { color: var(--c4); } .c5 { color: var(--c5); } .c6 { color: var(--c6); } .c7 { color: var(--c7); }
.c8 { color: var(--c8); } .c9 { color: var(--c9); }
.tip { position: absolute; z-index: 1; pointer-events: none; padding: .3rem .6rem; font-size: .8rem; max-width: 16rem;
  color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .4rem;
  box-shadow: 0 2px 8px rgb(0 0 0 / 20%); }
.tip div { display: flex; gap: .75rem; justify-content: space-between; }
.tip .who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
body:has(#by-steps:checked) .by-time, body:has(#by-time:checked) .by-steps { display: none; }
details > summary { cursor: pointer; margin: .75rem 0; color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .75rem 0; font-size: .95rem; }
dl > div { display: contents; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
@media print { details > summary, .axis { display: none; } }
"""

SCRIPT = """
const four = (value) => Math.abs(value) >= 1e4 ? Intl.NumberFormat("en", {notation: "compact",
  maximumSignificantDigits: 4}).format(value) : String(Number(value.toPrecision(4)));
function element(name, parent, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  parent.append(made);
  return made;
}
for (const figure of document.querySelectorAll("figure")) {
  const svg = figure.querySelector("svg");
  const curves = [...svg.querySelectorAll(".curve")].map((line) => ({
    name: line.dataset.name, colour: line.classList[1],
    points: line.getAttribute("points").split(" ").map((pair) => pair.split(",").map(Number)),
  }));
  if (!curves.length) continue;
  const scale = (text) => text.split(",").map(Number);
  const [x0, x1, left, right] = scale(svg.dataset.x), [y0, y1, bottom, top] = scale(svg.dataset.y);
  const decimals = Math.max(0, Math.ceil(Math.log10(500 / (y1 - y0))));  // a drawing tells about 500 values apart
  const tip = element("div", figure, "", "tip");
  tip.hidden = true;
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
  cursor.setAttribute("class", "cursor");
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), zoom = svg.viewBox.baseVal.width / box.width;
    const x = Math.min(Math.max((event.clientX - box.left) * zoom, left), right);
    tip.replaceChildren();
    const unit = svg.dataset.axis === "steps" ? " steps" : " h";
    element("div", tip, four(x0 + (x - left) / (right - left) * (x1 - x0)) + unit, "quiet");
    for (const curve of curves) {
      const near = curve.points.reduce((a, b) => Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a);
      const row = element("div", tip, "", "");
      element("span", row, curve.name, "who " + curve.colour);
      const value = y0 + (near[1] - bottom) / (top - bottom) * (y1 - y0);
      element("b", row, Math.abs(y1 - y0) < 500 && decimals < 7 ? value.toFixed(decimals) : four(value), "");
    }
    for (const [key, value] of [["x1", x], ["x2", x], ["y1", top], ["y2", bottom]]) cursor.setAttribute(key, value);
    if (!cursor.isConnected) svg.append(cursor);
    tip.hidden = false;
    const beside = event.clientX - figure.getBoundingClientRect().left + 14;
    tip.style.left = Math.min(beside, figure.clientWidth - tip.offsetWidth - 4) + "px";
    tip.style.top = (event.clientY - figure.getBoundingClientRect().top + 14) + "px";
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; cursor.remove(); });
}
"""
