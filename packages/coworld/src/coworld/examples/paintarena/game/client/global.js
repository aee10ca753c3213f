import { listen, socketAddress } from "./address.js";
import { board, clock, seats } from "./board.js";

const at = (id) => document.getElementById(id);
const parts = [board(at("board")), seats(at("seats")), clock(at("clock"), at("time"))];
const game = listen(socketAddress(location.href, "global"), {
  onMessage(state) {
    parts.forEach((show) => show(state));
    if (state.done) game.stop("the game is over");
  },
  onStatus(status) {
    at("status").textContent = status;
  },
});
