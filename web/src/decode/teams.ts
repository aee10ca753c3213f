import type { ObjectView } from "./frames";
import { inside } from "./json";
import type { Replay } from "./replay";
import { Field } from "./rows";

export interface Team {
  /** position among the teams */
  readonly index: number;
  readonly name: string;
  /** the tag of members, or -1 when teams are derived from groups of agents */
  readonly tag: number;
  /** the tag of objects connected to the team's base, or -1 */
  readonly netTag: number;
  /** agent ids */
  readonly agents: readonly number[];
}

const MOST_TEAMS = 32;
const USUAL_ROLES = ["aligner", "scrambler", "miner", "scout"];

/** Team membership from `team:*` tags, or from the groups of agents in games without such tags. */
export class Teams {
  readonly list: readonly Team[];
  /** resources that define a cog's role, such as `miner` */
  readonly roleResources: readonly number[];
  private readonly holdings = new Set<string>();
  private readonly byTag = new Map<number, Team>();
  private readonly byAgent: (Team | null)[];

  constructor(private readonly replay: Replay) {
    this.list = this.tagged();
    if (!this.list.length) this.list = this.grouped();
    for (const team of this.list) if (team.tag >= 0) this.byTag.set(team.tag, team);
    this.byAgent = Array.from(replay.agentObjects, (_, agent) => {
      return this.list.find((team) => team.agents.includes(agent)) ?? null;
    });
    this.roleResources = roleResources(replay);
    this.findHoldings();
  }

  /** Return the types of objects that can change owners, such as `junction`. */
  get holdingTypes(): ReadonlySet<string> {
    return this.holdings;
  }

  /** Record that an object of a type has changed owners. */
  changesHands(type: string): void {
    this.holdings.add(type);
  }

  ofTag(tag: number): Team | null {
    return this.byTag.get(tag) ?? null;
  }

  ofAgent(agent: number): Team | null {
    return this.byAgent[agent] ?? null;
  }

  /** Return the teams that own an object; a junction can have two. */
  of(object: ObjectView): Team[] {
    const teams = object.tags.map((tag) => this.byTag.get(tag)).filter((team) => team !== undefined);
    const own = teams.length ? null : this.ofAgent(object.agent);
    return own ? [own] : teams;
  }

  /** Return the resource that is an agent's role, or -1. */
  roleOf(object: ObjectView): number {
    return object.inventory.find(([resource]) => this.roleResources.includes(resource))?.[0] ?? -1;
  }

  private tagged(): Team[] {
    const { replay } = this;
    const nets = new Map([...replay.tagsWithPrefix("net:")].map(([tag, name]) => [name, tag]));
    const teamTags = [...replay.tagsWithPrefix("team:")].slice(0, MOST_TEAMS);
    const teams = teamTags.map(([tag, name], index) => ({
      index,
      name,
      tag,
      netTag: nets.get(name) ?? -1,
      agents: agentsWith(replay, tag),
    }));
    // Teams with agents come first, so that their colours and places do not depend on teams without agents.
    teams.sort((a, b) => Number(!a.agents.length) - Number(!b.agents.length) || a.index - b.index);
    return teams.map((team, index) => ({ ...team, index }));
  }

  private grouped(): Team[] {
    const groups = new Map<number, number[]>();
    this.replay.agentObjects.forEach((number, agent) => {
      if (number < 0) return;
      const { groupId } = this.replay.kind(number);
      groups.set(groupId, [...(groups.get(groupId) ?? []), agent]);
    });
    return [...groups].slice(0, MOST_TEAMS).map(([group, agents], index) => {
      const { groupName } = this.replay.kind(this.replay.agentObjects[agents[0]]);
      return { index, name: groupName || `group ${group}`, tag: -1, netTag: -1, agents };
    });
  }

  /** Junctions, and all types that change owners during the episode. */
  private findHoldings(): void {
    const types = this.holdings;
    const { timeline } = this.replay;
    for (const number of this.replay.nonWalls) {
      const type = this.replay.typeName(number);
      if (this.replay.parts.agentOf[number] >= 0 || types.has(type)) continue;
      if (type === "junction") types.add(type);
      for (const tag of this.byTag.keys()) {
        const slot = timeline.slot(Field.tag, number, tag);
        if (slot >= 0 && timeline.changes(slot)) types.add(type);
      }
    }
  }
}

function agentsWith(replay: Replay, tag: number): number[] {
  const { timeline, agentObjects } = replay;
  const agents: number[] = [];
  agentObjects.forEach((number, agent) => {
    const slot = number < 0 ? -1 : timeline.slot(Field.tag, number, tag);
    if (slot >= 0 && timeline.firstValue(slot)) agents.push(agent);
  });
  return agents;
}

/** The resources that share the limit `gear`; without such a limit, the roles of Cogs vs Clips. */
function roleResources(replay: Replay): number[] {
  const { kinds, config, resourceNames } = replay.parts;
  for (const kind of kinds) {
    const gear = kind.isAgent ? kind.limits.find((limit) => limit.name === "gear") : undefined;
    if (gear?.resources) return [...gear.resources];
  }
  const agents = inside(config, "game", "agents");
  const first = (Array.isArray(agents) && agents[0]) || inside(config, "game", "agent");
  const names = inside(first ?? undefined, "inventory", "limits", "gear", "resources");
  const listed = Array.isArray(names) ? names : USUAL_ROLES;
  return listed.map((name) => resourceNames.indexOf(String(name))).filter((resource) => resource >= 0);
}
