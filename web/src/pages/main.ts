import "./style.css";
import { coworldDoor, ownDoor } from "./live/door";
import { decode, embeddedReplay, loadSocket } from "./load";
import { Shell } from "./shell/shell";
import { readPlace } from "./url";

/** Show the live game or the replay that the address or the page names. */
async function main(): Promise<void> {
  const shell = new Shell(document.getElementById("app")!);
  Object.assign(globalThis, { mettascope: shell }); // for debugging in the console
  await shell.start();
  const place = readPlace(location.search, location.hash);
  const door = coworldDoor(location.href);
  if (door?.page === "replay") {
    const { app } = shell;
    if (!(await shell.replays.open((progress) => loadSocket(door.address("replay"), progress), ""))) return;
    app.isLooping = true;
    return app.play(true);
  }
  if (door) return shell.openLive(door);
  if (place.live) {
    if (place.token) shell.openLive(ownDoor(place.token));
    else shell.cover.showError("This address has no token (the part after the `#`); ask the host for the full link");
    return;
  }
  const own = embeddedReplay();
  let isOpen = false;
  if (place.replay) isOpen = await shell.replays.openAddress(place.replay);
  else if (own) isOpen = await shell.replays.open((progress) => decode(own.bytes, own.name, progress), "");
  if (!isOpen) return;
  if (place.beside) await shell.replays.openAddress(place.beside, true);
  const { app } = shell;
  if (place.speed !== null) app.setSpeed(place.speed);
  if (place.panel) app.openPanel(place.panel);
  if (place.select !== null && app.left!.numberOf(place.select) >= 0) app.select(place.select);
  if (place.tick !== null) app.seek(place.tick);
  if (place.follow) app.follow(true);
  if (place.play) app.play(true);
}

void main();
