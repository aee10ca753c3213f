import type { Frame, ObjectView } from "./frames";
import type { Replay } from "./replay";
import type { Teams } from "./teams";

type Test = (object: ObjectView) => boolean;

/**
 * Find the objects at a tick that match every word of a query: part of a type, tag, team, role, policy or vibe; `#12`
 * the object with that id; `@3` agent 3; `heart>2`, `carbon<=10`, `hp=0` amounts; `5,7` a place; `-word` leaves out.
 */
export function findObjects(query: string, frame: Frame, replay: Replay, teams: Teams): ObjectView[] {
  const tests = query
    .trim()
    .split(/\s+/)
    .filter((word) => word)
    .map((word) => testOf(word, replay, teams));
  if (!tests.length) return [];
  return frame.objects.filter((object) => tests.every((test) => test(object)));
}

function testOf(word: string, replay: Replay, teams: Teams): Test {
  if (word.length > 1 && word.startsWith("-")) {
    const test = testOf(word.slice(1), replay, teams);
    return (object) => !test(object);
  }
  const numbered = /^([#@])(\d+)$/.exec(word);
  if (numbered) {
    const number = Number(numbered[2]);
    return numbered[1] === "#" ? (object) => object.id === number : (object) => object.agent === number;
  }
  const place = /^(\d+),(\d+)$/.exec(word);
  if (place) return (object) => object.x === Number(place[1]) && object.y === Number(place[2]);
  const amount = /^([^<>=]+)(<=|>=|=|<|>)(-?\d+)$/.exec(word);
  if (amount) return amountTest(amount[1], amount[2], Number(amount[3]), replay);
  const text = word.toLowerCase();
  return (object) => wordsOf(object, replay, teams).some((name) => name.toLowerCase().includes(text));
}

function amountTest(name: string, sign: string, amount: number, replay: Replay): Test {
  const resource = replay.parts.resourceNames.indexOf(name);
  if (resource < 0) return () => false;
  return (object) => {
    const held = object.inventory.find(([key]) => key === resource)?.[1] ?? 0;
    if (sign === "<") return held < amount;
    if (sign === ">") return held > amount;
    if (sign === "<=") return held <= amount;
    if (sign === ">=") return held >= amount;
    return held === amount;
  };
}

function wordsOf(object: ObjectView, replay: Replay, teams: Teams): string[] {
  const { tagNames, resourceNames, vibeNames } = replay.parts;
  const words = [object.type, ...object.tags.map((tag) => tagNames[tag] ?? "")];
  for (const team of teams.of(object)) words.push(team.name);
  for (const [resource] of object.inventory) words.push(resourceNames[resource] ?? "");
  if (object.vibe) words.push(vibeNames[object.vibe] ?? "");
  if (object.agent >= 0) words.push(`agent ${object.agent}`);
  return words;
}
