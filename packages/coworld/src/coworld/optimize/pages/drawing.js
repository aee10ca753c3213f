// Small drawings of numbers, as SVG elements.

const NAMESPACE = "http://www.w3.org/2000/svg";

function shape(name, attributes, text) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const short = (value) => (Math.abs(value) >= 1000 || value === 0 ? value.toFixed(0) : value.toPrecision(3));

/** The 95 % interval of a difference around zero. */
export function interval(row) {
  const reach = Math.max(1e-9, Math.abs(row.low), Math.abs(row.high));
  const x = (value) => 160 + (140 * value) / reach;
  const label = `Difference ${short(row.mean)}, 95 % interval ${short(row.low)} to ${short(row.high)}`;
  const svg = shape("svg", { viewBox: "0 0 320 40", role: "img", "aria-label": label });
  svg.classList.add(row.kept ? "good" : "bad");
  svg.append(
    shape("line", { x1: 160, y1: 2, x2: 160, y2: 24, class: "axis" }),
    shape("line", { x1: x(row.low), y1: 13, x2: x(row.high), y2: 13, class: "interval" }),
    shape("circle", { cx: x(row.mean), cy: 13, r: 5, class: "mean" }),
    shape("text", { x: 160, y: 37, "text-anchor": "middle" }, "0"),
    shape("text", { x: 20, y: 37, "text-anchor": "middle" }, short(-reach)),
    shape("text", { x: 300, y: 37, "text-anchor": "middle" }, `+${short(reach)}`),
  );
  return svg;
}

/** Scores of both versions: one dot per episode, one line per version. */
export function scores(row) {
  const all = [...row.old, ...row.new].filter((score) => score !== null);
  if (all.length === 0) return null;
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const x = (score) => (most === least ? 190 : 80 + (220 * (score - least)) / (most - least));
  const svg = shape("svg", { viewBox: "0 0 320 52", role: "img" });
  svg.setAttribute("aria-label", `Scores from ${short(least)} to ${short(most)}`);
  [
    ["best", row.old, "old", 14],
    ["candidate", row.new, "new", 32],
  ].forEach(([label, values, kind, y]) => {
    svg.append(shape("text", { x: 0, y: y + 4 }, label), shape("line", { x1: 80, y1: y, x2: 300, y2: y, class: "axis" }));
    for (const score of values)
      if (score !== null) svg.append(shape("circle", { cx: x(score), cy: y, r: 4, class: kind, "fill-opacity": 0.6 }));
  });
  svg.append(
    shape("text", { x: x(least), y: 50, "text-anchor": "middle" }, short(least)),
    ...(most > least ? [shape("text", { x: x(most), y: 50, "text-anchor": "middle" }, short(most))] : []),
  );
  return svg;
}
