// A recorded game: from `#replay=URL` or `?replay=URL` (a static bundle), else from the game's /replay socket.
import { listen, socketAddress } from "./address.js";
import { board, clock, seats } from "./board.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const LOCKSTEP_RATE = 8;

const at = (id) => document.getElementById(id);
const parts = [board(at("board")), seats(at("seats")), clock(at("clock"), at("time"))];
const tell = (message) => {
  if (parent !== window) parent.postMessage({ src: "coworld-replay", ...message }, "*");
};
let frames = [];
let playing = true;
let speed = 1;
let index = 0;
let last = null;
let carried = 0;

function start(replay) {
  const { config, player_names: names } = replay;
  frames = replay.frames.map((frame) => ({
    width: config.width, height: config.height, max_ticks: replay.frames.length, started: true, ...frame,
    tick_rate: config.lockstep ? LOCKSTEP_RATE : frame.tick_rate ?? config.tick_rate ?? 5, // programs need no time
    player_names: names, paused: false, done: false,
  }));
  if (!frames.length) throw new Error("the replay has no frames");
  const first = frames[0];
  const before = { ...first, tick: 0, scores: first.scores.map(() => 0), tile_owners: first.tile_owners.map(() => -1) };
  frames.unshift(before); // tick 0: start positions are not recorded, so players stand where they are at tick 1
  frames.at(-1).done = true;
  at("scrub").max = frames.length - 1;
  tell({ type: "phase", phase: "replay_parsed" });
  show(0);
  tell({ type: "ready" });
  requestAnimationFrame(play);
}

function show(next) {
  index = Math.min(Math.max(next, 0), frames.length - 1);
  at("scrub").value = index;
  parts.forEach((part) => part(frames[index]));
}

function play(now) {
  const rate = frames[index].tick_rate * speed;
  if (playing && last !== null) carried += Math.min((now - last) / 1000, 0.25) * rate;
  last = now;
  const steps = Math.floor(carried);
  carried -= steps;
  if (steps) show(index === frames.length - 1 ? 0 : index + steps); // after the end it begins again
  requestAnimationFrame(play);
}

function setPlaying(next) {
  playing = next;
  carried = 0;
  at("play").textContent = playing ? "Pause" : "Play";
  at("play").setAttribute("aria-pressed", String(playing));
}

function setSpeed(step) {
  speed = SPEEDS[Math.min(Math.max(SPEEDS.indexOf(speed) + step, 0), SPEEDS.length - 1)];
  at("speed").textContent = `${speed}×`;
}

at("play").addEventListener("click", () => setPlaying(!playing));
at("slower").addEventListener("click", () => setSpeed(-1));
at("faster").addEventListener("click", () => setSpeed(1));
at("scrub").addEventListener("input", () => {
  setPlaying(false);
  show(Number(at("scrub").value));
});
const KEYS = {
  " ": () => setPlaying(!playing),
  ArrowLeft: () => (setPlaying(false), show(index - 1)),
  ArrowRight: () => (setPlaying(false), show(index + 1)),
  Home: () => show(0),
  End: () => (setPlaying(false), show(frames.length - 1)),
  "-": () => setSpeed(-1),
  "+": () => setSpeed(1),
};
addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || !frames.length || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target instanceof HTMLButtonElement) return;
  event.preventDefault();
  KEYS[event.key]();
});

async function fetchReplay(address) {
  tell({ type: "phase", phase: "replay_fetch_start" });
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the replay's server answered ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const format = bytes[0] === 0x1f && bytes[1] === 0x8b ? "gzip" : bytes[0] === 0x78 ? "deflate" : null;
  tell({ type: "phase", phase: "replay_fetch_end", bytes: bytes.length, compressed: format !== null });
  const plain = new Blob([bytes]).stream();
  return new Response(format ? plain.pipeThrough(new DecompressionStream(format)) : plain).json();
}

function fail(error) {
  at("status").textContent = error.message;
  tell({ type: "error", message: error.message });
}

setSpeed(0);
tell({ type: "loading" });
tell({ type: "phase", phase: "bundle_ready" });
const given = new URLSearchParams(location.hash.slice(1)).get("replay") ?? new URL(location).searchParams.get("replay");
if (given) {
  fetchReplay(given).then(start).catch(fail);
} else {
  const game = listen(socketAddress(location.href, "replay"), {
    onMessage(message) {
      if (message.type === "error") return game.stop(message.message);
      if (message.type !== "replay") return;
      game.stop("");
      try {
        start(message);
      } catch (error) {
        fail(error);
      }
    },
    onStatus(status) {
      at("status").textContent = status === "connecting" ? status : status === "connected" ? "" : status;
    },
  });
}
