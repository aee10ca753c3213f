/** Results of the search, best first. No DOM. */
import type { SearchHit } from "./api-types";

const WORDS: Record<string, string> = {
  season: "Season",
  league: "League",
  division: "Division",
  policy: "Policy",
  person: "Person",
  player: "Player",
  coworld: "Game",
  round: "Round",
  episode: "Episode",
  match: "Match",
};

/** Return the word for the kind of a hit. */
export function kindWord(kind: string): string {
  return WORDS[kind] ?? kind;
}

/** Return the kinds of hits with their numbers, the kind of the best hit first. */
export function kindsOf(hits: readonly SearchHit[]): [string, number][] {
  const numbers = new Map<string, number>();
  for (const { kind } of hits) numbers.set(kind, (numbers.get(kind) ?? 0) + 1);
  return [...numbers];
}

/** Return the next selected place when a key is pressed; -1 is the field itself. */
export function nextPlace(place: number, key: string, length: number): number {
  if (key === "ArrowDown") return place + 1 >= length ? -1 : place + 1;
  if (key === "ArrowUp") return place < 0 ? length - 1 : place - 1;
  return place;
}
