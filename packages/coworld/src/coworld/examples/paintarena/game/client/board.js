// Draws one state: the board on a canvas, the seats as a list of names, scores and bars. It knows no rules.
export const COLOURS = ["#2563eb", "#dc2626", "#059669", "#7c3aed"];

const GAP = 1;

export function board(canvas) {
  let state = null;
  const draw = () => state && paint(canvas, state);
  new ResizeObserver(draw).observe(canvas.parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return (next) => {
    state = next;
    draw();
  };
}

function paint(canvas, { width, height, tile_owners: owners, positions }) {
  const ratio = devicePixelRatio || 1;
  const room = canvas.parentElement.getBoundingClientRect();
  const tile = Math.max(6, Math.floor(Math.min(room.width / width, Math.max(room.height, 160) / height)));
  canvas.width = width * tile * ratio;
  canvas.height = height * tile * ratio;
  canvas.style.width = `${width * tile}px`;
  canvas.style.height = `${height * tile}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const empty = style.getPropertyValue("--tile");
  owners.forEach((owner, index) => {
    const x = (index % width) * tile;
    const y = Math.floor(index / width) * tile;
    context.fillStyle = owner < 0 ? empty : COLOURS[owner % 4];
    context.globalAlpha = owner < 0 ? 1 : 0.72;
    context.fillRect(x + GAP / 2, y + GAP / 2, tile - GAP, tile - GAP);
    context.globalAlpha = 1;
    if (owner % 2 === 1) {
      // Every second seat is also hatched, for eyes that do not tell the colours apart.
      context.strokeStyle = "rgb(255 255 255 / .35)";
      context.beginPath();
      context.moveTo(x + tile * 0.2, y + tile * 0.8);
      context.lineTo(x + tile * 0.8, y + tile * 0.2);
      context.stroke();
    }
  });
  positions.forEach(([x, y], slot) => {
    const shared = positions.findIndex(([a, b]) => a === x && b === y) !== slot;
    const size = tile * (shared ? 0.22 : 0.36);
    const [across, down] = [(x + 0.5) * tile, (y + 0.5) * tile];
    context.beginPath();
    if (slot % 2 === 0) context.arc(across, down, size, 0, 2 * Math.PI);
    else context.rect(across - size, down - size, 2 * size, 2 * size);
    context.fillStyle = COLOURS[slot % 4];
    context.fill();
    context.lineWidth = Math.max(2, tile / 12);
    context.strokeStyle = "#fff";
    context.stroke();
  });
}

// The seats beside the board. Names come from players: they are text and never markup.
export function seats(list, mine = null) {
  return ({ player_names: names, scores, tile_owners: owners }) => {
    while (list.children.length < names.length) list.append(row());
    names.forEach((name, slot) => {
      const item = list.children[slot];
      item.style.setProperty("--seat", COLOURS[slot % 4]);
      item.querySelector(".name").textContent = slot === mine ? `${name} (you)` : name;
      item.querySelector(".score").textContent = String(scores[slot]);
      item.querySelector(".bar").style.inlineSize = `${(100 * scores[slot]) / owners.length}%`;
    });
  };
}

function row() {
  const item = document.createElement("li");
  for (const name of ["swatch", "name", "score", "bar"]) {
    const part = document.createElement("span");
    part.className = name;
    item.append(part);
  }
  return item;
}

export function clock(bar, text) {
  return ({ tick, max_ticks: most, tick_rate: rate, started, paused, done }) => {
    bar.max = most;
    bar.value = tick;
    const left = Math.ceil((most - tick) / rate);
    const what = done ? "finished" : paused ? "paused" : started ? `${left} s left` : "waiting for players";
    text.textContent = `tick ${tick} of ${most} · ${what}`;
  };
}
