import { expect, test } from "vitest";
import { Camera } from "../src/board/camera";
import { mix, resourceColour, teamColour } from "../src/board/palette";
import type { Episode } from "../src/decode";
import { App, type Live } from "../src/pages/app";
import { scaleMarks } from "../src/pages/chart";
import { KEYS } from "../src/pages/keys";
import { coworldDoor } from "../src/pages/live/door";
import { hashOf, readPlace } from "../src/pages/url";

test("every key does one thing", () => {
  const keys = KEYS.flatMap((key) => key.keys);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test("an address contains replay, tick, speed and selection", () => {
  const place = readPlace("?replay=a/b.json.z&tick=3", "#tick=7&speed=50&select=12&panel=charts&follow=1");
  expect(place).toMatchObject({ replay: "a/b.json.z", tick: 7, speed: 50, select: 12, panel: "charts", follow: true });
  expect(readPlace("?step=5", "#speed=fast&panel=nonsense")).toMatchObject({ tick: 5, speed: null, panel: null });
});

test("the page reads the addresses that it writes", () => {
  const app = new App();
  Object.assign(app, { address: "https://x.y/a b.json.z?sig=1&t=2", speed: 20, selectedId: 4, panel: "heat" });
  expect(readPlace("", hashOf(app))).toMatchObject({ replay: app.address, speed: 20, select: 4, panel: "heat" });
});

test("zooming keeps the cell under the pointer in place", () => {
  const camera = new Camera();
  camera.setView(800, 600);
  camera.setMap(100, 100);
  camera.zoom(4, 500, 200);
  for (let i = 0; i < 200; i++) camera.advance(1 / 60);
  const [x, y] = camera.toMap(500, 200);
  camera.zoom(1.7, 500, 200);
  for (let i = 0; i < 200; i++) camera.advance(1 / 60);
  expect(camera.toMap(500, 200)[0]).toBeCloseTo(x, 3);
  expect(camera.toMap(500, 200)[1]).toBeCloseTo(y, 3);
});

test("the camera never leaves the map, and stops", () => {
  const camera = new Camera();
  camera.setView(400, 400);
  camera.setMap(50, 50);
  camera.zoom(3);
  camera.drag(1e6, -1e6, 0.01);
  camera.release();
  for (let i = 0; i < 600; i++) camera.advance(1 / 60);
  expect(camera.x).toBeGreaterThanOrEqual(0);
  expect(camera.y).toBeLessThanOrEqual(50);
  expect(camera.advance(1 / 60)).toBe(false);
});

test("charts have ticks at round numbers", () => {
  expect(scaleMarks(0, 22)).toEqual([0, 10, 20]);
  expect(scaleMarks(0, 0.9)).toHaveLength(2);
  expect(scaleMarks(-3, 4)).toEqual([0]);
});

test("teams have the colours of their names in both palettes", () => {
  const team = { index: 5, name: "cogs_green", tag: 1, netTag: -1, agents: [] };
  expect(teamColour(team, "standard")).toBe("#57b36a");
  expect(teamColour(team, "colour-blind")).toBe("#009e73");
  expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
  expect(resourceColour("anything")).toMatch(/^#[0-9a-f]{6}$/);
});

/** A live game that only records its requests. */
function liveApp(last: number) {
  const app = new App();
  const asked: string[] = [];
  const replay = {
    firstTick: 0,
    lastTick: last,
    clamp: (tick: number) => Math.min(Math.max(tick, 0), replay.lastTick),
  };
  app.left = { replay } as unknown as Episode;
  app.live = {
    canSteer: true,
    isRunning: true,
    isOver: false,
    speed: 8,
    play: (on: boolean) => asked.push(on ? "play" : "pause"),
    step: (count: number) => asked.push(`step ${count}`),
    setSpeed: (speed: number) => asked.push(`speed ${speed}`),
  } as unknown as Live;
  app.goLive();
  return { app, asked, replay };
}

test("at the newest tick, the clock controls the live game", () => {
  const { app, asked } = liveApp(30);
  app.play(false);
  app.step(1);
  app.setSpeed(50);
  app.faster(1);
  expect(asked).toEqual(["pause", "step 1", "speed 50", "speed 20"]); // 8 is not in the list: 10 is the next, then 20
  expect([app.tick, app.isRunning, app.isPlaying]).toEqual([30, true, false]);
});

test("seeking back does not affect the game, and playing catches up with it", () => {
  const { app, asked, replay } = liveApp(30);
  app.step(-2);
  replay.lastTick = 40;
  app.hasGrown();
  expect([app.tick, app.isAtEdge, app.isRunning]).toEqual([28, false, false]);
  app.setSpeed(100);
  app.play(true);
  for (let i = 0; i < 20; i++) app.advance(0.05);
  expect([app.tick, app.isAtEdge, app.isPlaying, app.isRunning]).toEqual([40, true, false, true]);
  expect(asked).toEqual([]);
});

test("the animation to the newest tick starts at once and ends soon, for any number of new ticks", () => {
  const { app, replay } = liveApp(30);
  replay.lastTick = 31;
  expect(app.advance(0.016)).toBe(true);
  expect([app.isGliding, app.tick]).toEqual([true, 30]);
  app.advance(0.1);
  expect([app.time, app.advance(0.016)]).toEqual([31, false]);
  replay.lastTick = 90;
  app.advance(0.016);
  expect(app.time).toBeGreaterThan(89);
});

test("the sockets of a Coworld are beside its page and have its query", () => {
  const player = coworldDoor("http://h:1/x/client/player?slot=2&token=T#tick=3")!;
  expect(player.page).toBe("player");
  expect(player.address("player").href).toBe("http://h:1/x/player?slot=2&token=T");
  expect(player.address("global").href).toBe("http://h:1/x/player?slot=2&token=T&watch=1");
  expect(player.address("admin").href).toBe("http://h:1/x/admin?slot=2&token=T");
  expect(coworldDoor("https://h/clients/admin")!.address("global").href).toBe("https://h/global?rights=host");
  expect(coworldDoor("http://h/client/other")).toBeNull();
});

test("an address in the query is the whole address of the socket", () => {
  const door = coworldDoor("https://h/p/client/global?address=wss%3A%2F%2Fg%2Fa%2Fglobal%3Fkey%3D1%23x&slot=4")!;
  expect(door.address("global").href).toBe("https://g/a/global?key=1");
});

test("a looping replay shows its end and restarts", () => {
  const app = new App();
  app.left = { replay: { firstTick: 0, lastTick: 3, clamp: (tick: number) => tick } } as unknown as Episode;
  Object.assign(app, { isLooping: true, isPlaying: true, speed: 10, time: 2.5 });
  app.advance(0.1);
  expect(app.time).toBe(3);
  app.advance(0.1);
  expect(app.time).toBe(0);
  expect(app.isPlaying).toBe(true);
});
