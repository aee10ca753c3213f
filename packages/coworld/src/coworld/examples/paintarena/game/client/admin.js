import { listen, socketAddress } from "./address.js";
import { board, clock, seats } from "./board.js";

const LOOK_MILLISECONDS = 250;

const at = (id) => document.getElementById(id);
const parts = [board(at("board")), seats(at("seats")), clock(at("clock"), at("time"))];
let paused = false;
const game = listen(socketAddress(location.href, "admin"), {
  onMessage(state) {
    parts.forEach((show) => show(state));
    paused = state.paused;
    at("pause").textContent = paused ? "Resume" : "Pause";
    at("pause").setAttribute("aria-pressed", String(paused));
    if (document.activeElement !== at("rate")) at("rate").value = state.tick_rate;
    if (state.done) game.stop("the game is over");
  },
  onStatus(status) {
    at("status").textContent = status;
  },
});

const toggle = () => game.send({ command: paused ? "resume" : "pause" });
at("pause").addEventListener("click", toggle);
at("rate").addEventListener("change", () => game.send({ command: "tick_rate", tick_rate: Number(at("rate").value) }));
addEventListener("keydown", (event) => {
  if (event.key !== " " || event.target !== document.body) return;
  event.preventDefault();
  toggle();
});
setInterval(() => game.send({ command: "state" }), LOOK_MILLISECONDS); // every message is answered with the state
