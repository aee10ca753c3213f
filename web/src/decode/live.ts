import { Columns, RowCheck, readNotes } from "./compact";
import { damaged, ReplayError } from "./errors";
import { MOST_AGENT_TICKS } from "./limits";
import { emptyNotes, type Replay } from "./replay";
import { Rows } from "./rows";

/**
 * Append a chunk: in the format of `.cogreplay`, uncompressed, starting where the replay ends.
 *
 * An invalid chunk raises a `ReplayError` and leaves the replay unchanged.
 */
export function appendChunk(replay: Replay, content: Uint8Array): void {
  const { parts } = replay;
  const chunk = new Columns(content);
  const [first, last, before, count, noteBytes, agents] = chunk.numbers(6);
  if (first !== replay.lastTick + 1 || last < first) {
    throw damaged(`expected tick ${replay.lastTick + 1}, got ${first}`);
  }
  if (agents !== parts.numAgents) throw damaged("a chunk has the wrong number of agents");
  if ((last - replay.firstTick) * Math.max(1, agents) > MOST_AGENT_TICKS)
    throw new ReplayError("The game has too many ticks");
  chunk.skip(8 * agents);
  const check = new RowCheck(parts, replay.objectCount);
  chunk.table(null, before, 0, 0, false, check);
  const rows = new Rows();
  chunk.table(rows, count, first, last, true, check);
  const notes = emptyNotes(parts.numAgents);
  readNotes(chunk.rest(noteBytes), notes);
  replay.append(rows, last);
  notes.forEach(({ talk, infos, monologue }, agent) => {
    parts.notes[agent].talk.push(...talk);
    parts.notes[agent].infos.push(...infos);
    parts.notes[agent].monologue.push(...monologue);
  });
}

/** Append new objects: their number, then their ids, kinds and agents (-1 for none). */
export function appendObjects(replay: Replay, content: Uint8Array): void {
  const columns = new Columns(content);
  const [count] = columns.numbers(1);
  const [ids, kindOf, agentOf] = [columns.int32(count), columns.int32(count), columns.int32(count)];
  const { kinds, numAgents } = replay.parts;
  if (kindOf.some((kind) => kind < 0 || kind >= kinds.length)) throw damaged("an object has an unknown kind");
  if (agentOf.some((agent) => agent < -1 || agent >= numAgents)) throw damaged("an object has an unknown agent");
  replay.addObjects(ids, kindOf, agentOf);
}
