import { expect, test } from "vitest";
import { Playback } from "../../src/bitworld/parts/playback";

test("a running match is followed until the spectator goes back, and again from its newest tick", () => {
  const playback = new Playback();
  playback.advance(0.1, 100, true);
  expect([playback.tick, playback.isAtEdge]).toEqual([100, true]);
  playback.seek(50, 100);
  playback.advance(1, 110, true);
  expect([playback.tick, playback.isAtEdge]).toEqual([74, false]);
  playback.speed = 8;
  playback.advance(1, 120, true);
  expect([playback.tick, playback.isAtEdge]).toEqual([120, true]);
  playback.toggle(120, true);
  playback.advance(1, 200, true);
  expect([playback.tick, playback.isPlaying]).toEqual([120, false]);
  playback.follow();
  playback.advance(0.1, 210, true);
  expect(playback.tick).toBe(210);
});

test("a recorded match stops at its end and plays again from its start", () => {
  const playback = new Playback();
  playback.seek(90, 100);
  playback.advance(1, 100, false);
  expect([playback.tick, playback.isPlaying]).toEqual([100, false]);
  playback.toggle(100, false);
  playback.advance(1, 100, false);
  expect([playback.tick, playback.isPlaying]).toEqual([24, true]);
});
