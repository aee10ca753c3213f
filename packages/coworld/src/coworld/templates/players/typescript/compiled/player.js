"use strict";
// A Paint Arena player: change `choose`, leave the rest. `npm run build` makes compiled/player.js, which is what runs.
//
// It reads the game's address from COWORLD_PLAYER_WS_URL, answers every observation with a move, connects again when
// the line breaks, and exits 0 at the end of the game.
const PATIENCE_MILLISECONDS = 20_000;
// Go to the nearest unpainted tile; when none is left, to the nearest tile that is not ours.
function choose(state) {
    const [x, y] = state.positions[state.slot];
    const free = state.tile_owners.includes(-1);
    let best = Infinity;
    let way = [0, 0];
    state.tile_owners.forEach((owner, tile) => {
        const [across, down] = [(tile % state.width) - x, Math.floor(tile / state.width) - y];
        const distance = Math.abs(across) + Math.abs(down);
        const wanted = free ? owner === -1 : owner !== state.slot;
        if (wanted && distance > 0 && distance < best) {
            best = distance;
            way = [across, down];
        }
    });
    const [across, down] = way;
    if (across !== 0)
        return across > 0 ? "right" : "left";
    if (down !== 0)
        return down > 0 ? "down" : "up";
    return "stay";
}
const address = process.env.COWORLD_PLAYER_WS_URL ?? process.env.COGAMES_ENGINE_WS_URL;
if (!address) {
    console.error("COWORLD_PLAYER_WS_URL is not set");
    process.exit(2);
}
let deadline = Date.now() + PATIENCE_MILLISECONDS;
function connect(url) {
    const game = new WebSocket(url);
    game.onmessage = (event) => {
        deadline = Date.now() + PATIENCE_MILLISECONDS;
        const state = JSON.parse(event.data);
        if (state.done) {
            console.log("final scores", state.scores);
            process.exit(0);
        }
        game.send(JSON.stringify({ move: choose(state) }));
    };
    game.onclose = () => {
        if (Date.now() > deadline)
            process.exit(1);
        setTimeout(() => connect(url), 200);
    };
    game.onerror = () => console.error("connection lost");
}
connect(address);
