import { EventLog, type GameEvent } from "./events";
import { type Frame, FrameReader, infosAt, type ObjectView, policyName } from "./frames";
import { type AgentFilter, type HeatKind, HeatMap } from "./heat";
import { inside, isInteger } from "./json";
import { type Link, networkLinks, networkReach } from "./networks";
import type { Replay } from "./replay";
import { Field } from "./rows";
import { HistoryMaker, type TeamHistory } from "./series";
import { type Team, Teams } from "./teams";
import { Territory } from "./territory";
import { Observer } from "./tokens";
import { Vision } from "./vision";

/** A resource shown as a bar above agents. */
export interface Bar {
  readonly resource: number;
  readonly name: string;
  /** the full amount if the replay records no limit */
  readonly most: number;
}

/** A replay with derived data, each computed on first use. */
export class Episode {
  readonly reader: FrameReader;
  readonly ahead: FrameReader;
  readonly teams: Teams;
  readonly vision: Vision;
  readonly territory: Territory;
  readonly observer: Observer;
  readonly bars: readonly Bar[];
  private readonly log: EventLog;
  private readonly histories: HistoryMaker;
  private heatMap: { key: string; map: HeatMap } | null = null;
  private links: { key: string; links: { team: Team; links: Link[] }[] } = { key: "", links: [] };
  private readonly numberOfId = new Map<number, number>();
  private idsKnown = 0;

  constructor(
    readonly replay: Replay,
    /** display name of the file */
    readonly name: string,
    /** size of the file in bytes */
    readonly size: number,
  ) {
    this.reader = new FrameReader(replay);
    this.ahead = new FrameReader(replay);
    this.teams = new Teams(replay);
    this.log = new EventLog(replay, this.teams);
    this.histories = new HistoryMaker(replay, this.teams);
    this.vision = new Vision(replay);
    this.territory = new Territory(this.reader);
    this.observer = new Observer(replay, this.reader, this.vision, this.territory);
    this.bars = barsOf(replay);
  }

  /** All events so far. */
  get events(): readonly GameEvent[] {
    this.log.extend();
    return this.log.events;
  }

  /** Seek to a tick and return its state. The other methods then refer to that tick. */
  at(tick: number): Frame {
    const frame = this.reader.at(tick);
    this.territory.seek(frame);
    return frame;
  }

  get history(): TeamHistory {
    this.log.extend(); // events update the types that change owners
    return this.histories.history();
  }

  heat(kind: HeatKind, filter: AgentFilter, filterName: string, tick: number): HeatMap {
    const key = `${kind}/${filterName}`;
    if (this.heatMap?.key !== key) this.heatMap = { key, map: new HeatMap(this.replay, kind, this.events, filter) };
    this.log.extend();
    this.heatMap.map.seek(tick);
    return this.heatMap.map;
  }

  firstSeen(agent: number): Int32Array {
    return this.vision.firstSeen(agent);
  }

  networks(frame: Frame): readonly { team: Team; links: Link[] }[] {
    const nets = this.teams.list.filter((team) => team.netTag >= 0);
    const members = nets.map((team) =>
      frame.objects
        .filter((object) => object.agent < 0 && object.tags.includes(team.netTag))
        .map(({ number }) => number),
    );
    const key = members.map((numbers) => numbers.join()).join("/");
    if (key !== this.links.key) {
      this.links = {
        key,
        links: nets.map((team) => ({ team, links: networkLinks(frame, team, networkReach(this.replay, team)) })),
      };
    }
    return this.links.links;
  }

  /** Return the number of the object with the engine's id, or -1. */
  numberOf(id: number): number {
    const { ids } = this.replay.parts;
    for (; this.idsKnown < ids.length; this.idsKnown++) this.numberOfId.set(ids[this.idsKnown], this.idsKnown);
    return this.numberOfId.get(id) ?? -1;
  }

  /** Return the fill of an object's bars at the reader's tick. */
  barsOf(object: ObjectView): number[] {
    return this.bars.map(({ resource, most }) => {
      const amount = object.inventory.find(([held]) => held === resource)?.[1] ?? 0;
      return amount / (this.limitOf(object.number, resource) || most);
    });
  }

  /** Return the limit of a resource of an object at the reader's tick; 0 if it is not recorded. */
  limitOf(number: number, resource: number): number {
    const { timeline, parts } = this.replay;
    const name = parts.resourceNames[resource];
    const limit = this.replay
      .kind(number)
      .limits.find((limit) => (limit.resources ? limit.resources.includes(resource) : limit.name === name));
    const slot = limit ? timeline.slot(Field.limit, number, limit.key) : -1;
    return slot < 0 ? 0 : this.reader.cursor.state[slot];
  }

  /**
   * Return the target that the agent's policy shows: `target` as [row, column], or "row,column", relative to where the
   * agent stood when the policy decided, before its move.
   */
  targetOf(object: ObjectView, tick: number): { x: number; y: number } | null {
    if (object.agent < 0) return null;
    const { target } = infosAt(this.replay, object.agent, tick);
    const pair = typeof target === "string" ? target.split(",").map(Number) : target;
    if (!Array.isArray(pair) || pair.length !== 2 || !pair.every((x) => isInteger(x, -65535, 65535))) return null;
    const [x, y] = this.replay.placeAt(object.number, Math.max(tick - 1, this.replay.firstTick));
    return { x: x + (pair[1] as number), y: y + (pair[0] as number) };
  }

  policyOf(agent: number): string {
    return policyName(this.replay, agent);
  }
}

/** The bars from the config, or health and energy. */
function barsOf(replay: Replay): Bar[] {
  const { config, resourceNames } = replay.parts;
  const bars = ["hud1", "hud2"].map((hud) => {
    const [name, most] = [
      inside(config, "game", "render", hud, "resource"),
      inside(config, "game", "render", hud, "max"),
    ];
    return { name: typeof name === "string" ? name : "", most: typeof most === "number" && most > 0 ? most : 100 };
  });
  const known = bars.filter(({ name }) => resourceNames.includes(name));
  const usual = [
    { name: "hp", most: 100 },
    { name: "energy", most: 100 },
  ].filter(({ name }) => resourceNames.includes(name));
  return (known.length ? known : usual).map(({ name, most }) => ({
    name,
    most,
    resource: resourceNames.indexOf(name),
  }));
}
