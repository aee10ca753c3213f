import "./style.css";
import { coworldDoor, ownDoor } from "./live/door";
import { decode, embeddedReplay, loadSocket } from "./load";
import { Shell } from "./shell/shell";
import { ownPlace, readPlace } from "./url";

/** Show the live game or the replay that the address or the page names. */
async function main(): Promise<void> {
  const shell = new Shell(document.getElementById("app")!);
  Object.assign(globalThis, { mettascope: shell }); // for debugging in the console
  await shell.start();
  const own = ownPlace();
  const place = readPlace(location.search, location.hash, own);
  shell.app.page = place.page;
  if (own !== null) shell.header.linkTo(place.page);
  if (place.mini) beSmall(shell);
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
  if (place.watch && !place.replay) {
    const address = ownAddress(place.watch);
    if (address) shell.openBroadcast(address, place.mini && prefersStillness());
    else shell.cover.showError("A match can be watched on its own server only");
    return;
  }
  // A link to another step of the same replay, from the page around this one or typed into the address bar. The event
  // comes later than the change, when the fragment may be that of the current view again.
  addEventListener("hashchange", ({ newURL }) => {
    const { tick } = readPlace("", new URL(newURL).hash);
    if (tick === null) return;
    place.tick = tick;
    if (!shell.app.left) return;
    shell.app.play(false);
    shell.app.seek(tick);
  });
  const inside = embeddedReplay();
  let isOpen = false;
  if (place.replay) isOpen = await shell.replays.openAddress(place.replay);
  else if (inside) isOpen = await shell.replays.open((progress) => decode(inside.bytes, inside.name, progress), "");
  if (!isOpen) return;
  if (place.beside) await shell.replays.openAddress(place.beside, true);
  const { app } = shell;
  if (place.speed !== null) app.setSpeed(place.speed);
  if (place.panel) app.openPanel(place.panel);
  if (place.select !== null && app.left!.numberOf(place.select) >= 0) app.select(place.select);
  if (place.tick !== null) app.seek(place.tick);
  if (place.follow) app.follow(true);
  if (place.play || (place.mini && !prefersStillness())) app.play(true);
}

/** Return an address of the server that sent this page; null for others. */
function ownAddress(text: string): URL | null {
  try {
    const address = new URL(text, location.href);
    return address.origin === location.origin ? address : null;
  } catch {
    return null;
  }
}

/** Show the board with few controls, and repeat the replay. */
function beSmall({ app }: Shell): void {
  document.body.classList.add("is-mini");
  app.isLooping = true;
  app.openPanel("");
}

function prefersStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

void main();
