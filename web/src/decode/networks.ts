import type { Frame } from "./frames";
import { inside } from "./json";
import type { Replay } from "./replay";
import type { Team } from "./teams";

export interface Link {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

const MOST_NODES = 500;

/** Return the range of a team's connections from the config; unlimited if the config has none. */
export function networkReach(replay: Replay, team: Team): number {
  const queries = inside(replay.parts.config, "game", "materialize_queries");
  const tag = replay.parts.tagNames[team.netTag];
  for (const query of Array.isArray(queries) ? queries : []) {
    const filters = inside(query, "query", "edge_filters");
    if (inside(query, "tag") !== tag || !Array.isArray(filters)) continue;
    const radius = filters.map((filter) => inside(filter, "radius")).find((value) => typeof value === "number");
    if (typeof radius === "number") return radius;
  }
  return Infinity;
}

/**
 * Connect the objects of a team's network by a minimum spanning tree. The replay records which objects are connected
 * (the `net:*` tag), not along which path, so the lines show the group only. Groups farther apart than `reach` stay
 * separate.
 */
export function networkLinks(frame: Frame, team: Team, reach = Infinity): Link[] {
  if (team.netTag < 0) return [];
  const nodes = frame.objects.filter((object) => object.agent < 0 && object.tags.includes(team.netTag));
  if (nodes.length < 2 || nodes.length > MOST_NODES) return [];
  const links: Link[] = [];
  const distance = nodes.map(() => Infinity);
  const nearest = nodes.map(() => 0);
  const isIn = nodes.map(() => false);
  for (let count = 0, at = 0; count < nodes.length; count++) {
    isIn[at] = true;
    if (count && distance[at] <= reach * reach)
      links.push({ x1: nodes[nearest[at]].x, y1: nodes[nearest[at]].y, x2: nodes[at].x, y2: nodes[at].y });
    let next = -1;
    for (let i = 0; i < nodes.length; i++) {
      if (isIn[i]) continue;
      const square = (nodes[i].x - nodes[at].x) ** 2 + (nodes[i].y - nodes[at].y) ** 2;
      if (square < distance[i]) [distance[i], nearest[i]] = [square, at];
      if (next < 0 || distance[i] < distance[next]) next = i;
    }
    at = next;
  }
  return links;
}
