import { listen, socketAddress } from "./address.js";
import { board, clock, seats } from "./board.js";

const KEYS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right",
  w: "up", s: "down", a: "left", d: "right", " ": "stay",
};
const SWIPE_PIXELS = 24;

const at = (id) => document.getElementById(id);
const mine = Number(new URL(location.href).searchParams.get("slot") ?? NaN);
const parts = [board(at("board")), seats(at("seats"), mine), clock(at("clock"), at("time"))];
const game = listen(socketAddress(location.href, "player"), {
  onMessage(state) {
    parts.forEach((show) => show(state));
    if (state.done) game.stop(verdict(state));
  },
  onStatus(status) {
    at("status").textContent = status;
  },
});

function verdict({ scores, slot }) {
  const others = Math.max(...scores.filter((_, other) => other !== slot));
  return scores[slot] > others ? "you won" : scores[slot] === others ? "a draw" : "you lost";
}

function move(name) {
  game.send({ move: name });
  for (const button of document.querySelectorAll("[data-move]"))
    button.setAttribute("aria-pressed", String(button.dataset.move === name));
}

addEventListener("keydown", (event) => {
  const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target instanceof HTMLButtonElement) return; // presses that button
  event.preventDefault();
  if (!event.repeat) move(name);
});
for (const button of document.querySelectorAll("[data-move]"))
  button.addEventListener("click", () => move(button.dataset.move));

let from = null;
at("room").addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
at("room").addEventListener("pointerup", (event) => {
  if (!from) return;
  const [across, down] = [event.clientX - from[0], event.clientY - from[1]];
  from = null;
  if (Math.max(Math.abs(across), Math.abs(down)) < SWIPE_PIXELS) return;
  if (Math.abs(across) > Math.abs(down)) move(across > 0 ? "right" : "left");
  else move(down > 0 ? "down" : "up");
});
