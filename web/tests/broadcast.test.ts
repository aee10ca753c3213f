import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpackMessage } from "../src/live/match";
import { Pace } from "../src/live/pace";
import { App, type Live } from "../src/pages/app";
import { Spectated } from "../src/pages/broadcast/game";
import { readPlace } from "../src/pages/url";

test("a compressed message is the message that was compressed, and others stay as they are", async () => {
  const message = Uint8Array.from({ length: 5000 }, (_, i) => (i === 0 ? 2 : i % 7));
  const packed = Uint8Array.from([4, ...deflateSync(message)]);
  expect(packed.length).toBeLessThan(message.length / 10);
  expect(await unpackMessage(packed)).toEqual(message);
  expect(await unpackMessage(message)).toBe(message);
  await expect(unpackMessage(packed.subarray(0, 20))).rejects.toThrow();
});

test("the pace of a match is that of its new ticks, not of the history that arrives first", () => {
  const pace = new Pace();
  expect(pace.rate).toBeNull();
  for (let i = 0; i <= 5; i++) pace.grown(i * 0.1, 1000 * i); // the history
  expect([pace.rate, pace.joined]).toEqual([null, 5000]);
  for (let i = 0; i <= 20; i++) pace.grown(1 + i * 0.2, 5000 + 60 * i);
  expect(pace.rate).toBeCloseTo(300);
  expect(pace.joined).toBe(5000);
});

function watching(lastTick: number): { app: App; game: Spectated } {
  const app = new App();
  const game = new Spectated();
  app.live = game as Live;
  app.left = { replay: { firstTick: 0, lastTick, clamp: (tick: number) => tick } } as App["left"];
  return { app, game };
}

test("a spectator pauses, goes back and goes live again; the match is not asked for anything", () => {
  const { app, game } = watching(100);
  app.goLive();
  expect([app.isSteering, app.isRunning, app.tick]).toEqual([false, true, 100]);
  app.play(false);
  expect([app.isAtEdge, app.isRunning, app.tick]).toEqual([false, false, 100]);
  app.play(true); // at the newest tick, playing means following
  expect([app.isAtEdge, app.isRunning]).toEqual([true, true]);
  app.seek(20);
  app.play(true);
  app.setSpeed(10);
  app.advance(0.2);
  expect([app.isAtEdge, app.isRunning, app.tick]).toEqual([false, true, 22]);
  for (let i = 0; i < 40; i++) app.advance(0.25);
  expect([app.isAtEdge, app.tick]).toEqual([true, 100]);
  game.isOver = true;
  expect(app.isRunning).toBe(false);
});

test("an address names a running match, a small viewer, or both", () => {
  const place = readPlace("?watch=%2Fobservatory%2Flive%2Fmatches%2F1%3Felevated%3D1&mini=1", "");
  expect([place.watch, place.mini]).toEqual(["/observatory/live/matches/1?elevated=1", true]);
  expect(readPlace("?replay=a", "#tick=1")).toMatchObject({ watch: "", mini: false });
});
