import { damaged, ReplayError } from "./errors";

/** Limits above those of any real episode, and low enough for a page's memory. */
export const MOST_AGENT_TICKS = 1 << 26;
export const MOST_CELLS = 1 << 24;

export function checkSize(width: number, height: number, numAgents: number): void {
  if (width * height > MOST_CELLS) {
    throw new ReplayError(`The replay is too large: a map of ${width} x ${height} cells`);
  }
  if (width * height === 0) throw damaged("its map has no cells");
  if (numAgents > 65535) throw damaged(`it has ${numAgents} agents, more than 65535`);
}
