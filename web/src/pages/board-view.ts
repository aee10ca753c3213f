import { resourceColour } from "../board/palette";
import type { BoardView, TrailPoint } from "../board/view";
import { type AgentFilter, type Episode, Field, type Frame, type ObjectView } from "../decode";
import type { App } from "./app";

const TRAIL_STEPS = 200;

/** Builds the board's data; recomputes it only for a new tick, selection or setting. */
export class ViewMaker {
  private key = "";
  private view: BoardView | null = null;

  constructor(
    private readonly app: App,
    readonly episode: Episode,
  ) {}

  /** `settings` counts changes of settings. */
  make(settings: number): BoardView {
    const { app, episode } = this;
    const tick = episode.replay.clamp(Math.floor(app.time));
    const isSmooth = app.isAtEdge ? app.isGliding : app.isPlaying && app.speed <= 60;
    const isMoving = isSmooth && tick < episode.replay.lastTick;
    const key = `${tick}/${app.selectedId}/${settings}/${isMoving}/${app.isAtEdge}/${app.live?.version}/${episode.replay.shape}`;
    if (key !== this.key || !this.view) {
      this.key = key;
      this.view = this.fresh(episode.at(tick), isMoving);
    }
    return isMoving ? { ...this.view, fraction: app.time - Math.floor(app.time) } : this.view;
  }

  private fresh(frame: Frame, isMoving: boolean): BoardView {
    const { app, episode } = this;
    const { tick } = frame;
    const selected = app.selectedObject(episode, frame);
    const hidden = app.hiddenTeams;
    const bars = new Map<number, number[]>();
    if (app.layers.has("bars")) {
      for (const object of frame.objects) if (object.agent >= 0) bars.set(object.number, episode.barsOf(object));
    }
    return {
      frame,
      next: isMoving ? episode.ahead.at(tick + 1) : null,
      fraction: 0,
      layers: app.layers,
      selected: app.selectedNumber(episode),
      owners: episode.territory.source === "unknown" ? null : episode.territory.owners,
      ownersVersion: `${episode.territory.version}/${[...hidden].join()}`,
      hiddenTags: new Set(episode.teams.list.filter((team) => hidden.has(team.name)).map((team) => team.tag)),
      links: app.layers.has("networks") ? episode.networks(frame).filter(({ team }) => !hidden.has(team.name)) : [],
      seen: app.layers.has("fog") ? this.seen(selected, frame) : null,
      heat: app.layers.has("heat") ? this.heat(tick) : null,
      trail: app.layers.has("trail") && selected ? trailOf(episode, selected.number, tick) : [],
      target: selected ? episode.targetOf(selected, tick) : null,
      bars,
      barColours: episode.bars.map(({ name }) => resourceColour(name)),
      live: app.live?.marksFor(episode) ?? null,
      nameOf: (object) => nameOf(episode, object),
    };
  }

  private seen(selected: ObjectView | null, frame: Frame): BoardView["seen"] {
    if (!selected || selected.agent < 0) return null;
    const { vision } = this.episode;
    return {
      cells: vision.cellsFrom(selected.x, selected.y, frame, vision.radiusOf(selected.agent, frame)),
      first: this.episode.firstSeen(selected.agent),
      version: `${selected.agent}/${frame.tick}`,
    };
  }

  private heat(tick: number): BoardView["heat"] {
    const { app, episode } = this;
    const [filter, name] = heatFilter(app, episode);
    const map = episode.heat(app.heatKind, filter, name, tick);
    return { counts: map.counts, most: map.most, version: `${app.heatKind}/${name}/${tick}` };
  }
}

/** Return the agents that a heat map counts, and a name for the choice. */
export function heatFilter(app: App, episode: Episode): [AgentFilter, string] {
  if (app.heatWho === "all") return [null, "all"];
  if (typeof app.heatWho === "number") {
    const team = episode.teams.list[app.heatWho];
    return team ? [new Set(team.agents.length ? team.agents : [-1]), `team ${team.name}`] : [null, "all"];
  }
  const number = app.selectedNumber(episode);
  const agent = number < 0 ? -1 : episode.replay.parts.agentOf[number];
  return agent < 0 ? [null, "all"] : [new Set([agent]), `agent ${agent}`];
}

export function nameOf(episode: Episode, object: ObjectView): string {
  if (object.agent < 0) return `${object.type.replaceAll("_", " ")} ${object.id}`;
  const policy = episode.policyOf(object.agent);
  return policy ? `${object.agent} ${policy}` : `Agent ${object.agent}`;
}

/** Return an object's recent and next positions. */
function trailOf(episode: Episode, number: number, tick: number): TrailPoint[] {
  const { timeline } = episode.replay;
  const slot = timeline.slot(Field.location, number);
  const points: TrailPoint[] = [];
  if (slot < 0) return points;
  timeline.eachChange(slot, (at, place) => {
    const steps = at - tick;
    if (steps && Math.abs(steps) <= TRAIL_STEPS) points.push({ x: place & 0xffff, y: place >>> 16, steps });
  });
  return points;
}
