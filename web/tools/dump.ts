/**
 * Print the decoded content of a replay as JSON lines; the tests compare it with the engine.
 *
 * usage: node dump.js digests FILE          a digest of everything except walls, for every tick
 *        node dump.js frames FILE TICK...   the state at some ticks
 *        node dump.js observations FILE     the tokens of all agents, for every tick
 *        node dump.js errors FILE...        the error message of each file; null if it can be read
 */
import { createHash } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { Episode, type Frame, type Observer, openReplay, ReplayError } from "../src/decode";

function print(value: unknown): void {
  const text = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  for (let at = 0; at < text.length; ) {
    try {
      at += writeSync(1, text, at);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error; // the pipe is full: retry
    }
  }
}

function digests({ reader, replay }: Episode): void {
  for (let tick = replay.firstTick; tick <= replay.lastTick; tick++) {
    const { objects } = reader.at(tick);
    const rows = objects.map(({ id, x, y, inventory, tags, agent, vibe }) => [
      id,
      x,
      y,
      inventory,
      tags,
      agent < 0 ? 0 : vibe,
    ]);
    rows.sort((a, b) => (a[0] as number) - (b[0] as number));
    print([tick, createHash("sha256").update(JSON.stringify(rows)).digest("hex")]);
  }
}

function frames(episode: Episode, ticks: number[]): void {
  const { reader, replay, territory, observer } = episode;
  for (const tick of ticks) {
    const frame = episode.at(tick);
    const walls = replay.walls.map((wall) => reader.object(wall)!);
    print({
      tick: frame.tick,
      territory: territory.source,
      owners: Array.from(territory.owners),
      objects: [...frame.objects, ...walls].map(({ id, type, x, y, inventory, tags }) => [
        id,
        type,
        x,
        y,
        inventory,
        tags,
      ]),
      agents: frame.agents,
      stats: Object.fromEntries(reader.stats()),
      observations: observationsAt(observer, frame),
    });
  }
}

function observationsAt(observer: Observer, frame: Frame) {
  return frame.agents.map((_, agent) => {
    const { tokens, missing } = observer.observe(agent, frame);
    return { tokens: tokens.map((token) => [token.location, token.featureId, token.value]), missing };
  });
}

function observations(episode: Episode): void {
  const { replay, observer } = episode;
  for (let tick = replay.firstTick; tick <= replay.lastTick; tick++) {
    print({ tick, observations: observationsAt(observer, episode.at(tick)) });
  }
}

async function errors(paths: string[]): Promise<void> {
  for (const path of paths) {
    const result = await openReplay(new Uint8Array(readFileSync(path))).catch((error: unknown) => error);
    print(result instanceof ReplayError ? result.message : null);
  }
}

async function main([task, path, ...ticks]: string[]): Promise<void> {
  if (task === "errors") return errors([path, ...ticks]);
  const episode = new Episode(await openReplay(new Uint8Array(readFileSync(path))), path, 0);
  if (task === "digests") digests(episode);
  else if (task === "observations") observations(episode);
  else frames(episode, ticks.map(Number));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof ReplayError ? error.message : error);
  process.exitCode = 1;
});
