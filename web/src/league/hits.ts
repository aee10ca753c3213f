/** Results of the search, in groups by kind. No DOM. */
import type { SearchHit } from "./api-types";

export interface HitGroup {
  kind: string;
  title: string;
  hits: SearchHit[];
}

const TITLES: Record<string, string> = {
  season: "Seasons",
  league: "Leagues",
  division: "Divisions",
  policy: "Policies",
  player: "Players",
  coworld: "Games",
  round: "Rounds",
  episode: "Episodes",
  match: "Matches",
};

/** Group hits by kind; the kind of the best hit comes first, and the order within a kind stays. */
export function hitGroups(hits: readonly SearchHit[]): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of hits) {
    const group = groups.get(hit.kind) ?? { kind: hit.kind, title: TITLES[hit.kind] ?? hit.kind, hits: [] };
    group.hits.push(hit);
    groups.set(hit.kind, group);
  }
  return [...groups.values()];
}

/** Return the next selected place when a key is pressed; -1 is the field itself. */
export function nextPlace(place: number, key: string, length: number): number {
  if (key === "ArrowDown") return place + 1 >= length ? -1 : place + 1;
  if (key === "ArrowUp") return place < 0 ? length - 1 : place - 1;
  return place;
}
