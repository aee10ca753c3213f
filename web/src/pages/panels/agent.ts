import {
  type Episode,
  Field,
  type Frame,
  infosAt,
  inside,
  type Json,
  monologueAt,
  type ObjectView,
  readableName,
} from "../../decode";
import { button, el, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { formatNumber } from "../format";
import { spriteIcon } from "../sprite-icon";
import { facts, jsonTree, objectButton, objectIcon, type Panel, section, teamBadge } from "./panel";

const SHOWN_ACTIONS = 14;
const MOST_AGENTS = 200;

/** Details of the selected agent or object; without a selection, the list of agents. */
export class AgentPanel implements Panel {
  readonly name = "agent";
  readonly title = "Object";
  readonly icon = ICONS.agent;
  readonly element = el("div", { class: "panel-body" });
  /** reused while the selected kind stays the same, so that open sections stay open during playback */
  private rules: { objectConfig: Json; element: HTMLElement } | null = null;

  constructor(
    private readonly app: App,
    private readonly lookAt: (place: { x: number; y: number }) => void,
  ) {}

  update(_: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (!left) return renew(this.element);
    const frame = left.at(this.app.tick);
    const number = this.app.selectedNumber(left);
    const object = this.app.selectedObject(left, frame);
    if (number < 0) renew(this.element, ...this.overview(left, frame));
    else if (!object) renew(this.element, ...this.gone(left, number));
    else renew(this.element, ...this.details(left, frame, object));
  }

  private overview(episode: Episode, frame: Frame): Node[] {
    const agents = frame.objects.filter((object) => object.agent >= 0).sort((a, b) => a.agent - b.agent);
    const rows = agents.slice(0, MOST_AGENTS).map((agent) => {
      const { total } = frame.agents[agent.agent];
      const row = objectButton(this.app, episode, agent, `Agent ${agent.agent}`, this.lookAt);
      const team = episode.teams.of(agent)[0];
      if (team) row.append(teamBadge(team, this.app.palette));
      row.append(el("span", { class: "quiet grow" }, episode.policyOf(agent.agent)), el("b", {}, formatNumber(total)));
      return row;
    });
    const more =
      agents.length > MOST_AGENTS ? el("p", { class: "quiet" }, `and ${agents.length - MOST_AGENTS} more`) : null;
    return [
      el("p", { class: "quiet" }, "Click an object on the map, or choose an agent (keys , and .)"),
      section("Agents and their rewards", el("div", { class: "rows" }, ...rows), more),
    ];
  }

  private gone(episode: Episode, number: number): Node[] {
    const type = readableName(episode.replay.typeName(number));
    return [
      el("p", {}, `The ${type} with id ${episode.replay.parts.ids[number]} is not on the map at this tick`),
      this.closer(),
    ];
  }

  private details(episode: Episode, frame: Frame, object: ObjectView): Node[] {
    const parts: (Node | null)[] = [this.heading(episode, object)];
    if (object.agent >= 0) parts.push(this.doing(episode, frame, object), this.bars(episode, object));
    parts.push(this.inventory(episode, object));
    if (object.agent >= 0)
      parts.push(this.policy(episode, object.agent, frame.tick), this.stats(episode, object.agent));
    parts.push(this.tags(episode, object), this.config(episode, object));
    return parts.filter((part) => part !== null);
  }

  private closer(): HTMLElement {
    return button("Clear the selection (Escape)", ICONS.close, () => this.app.select(0));
  }

  private heading(episode: Episode, object: ObjectView): HTMLElement {
    const role = episode.teams.roleOf(object);
    const { resourceNames, vibeNames } = episode.replay.parts;
    const icon = objectIcon(this.app, episode, object);
    icon.width = icon.height = 40;
    const title = object.agent >= 0 ? `Agent ${object.agent}` : readableName(object.type);
    const row = facts([
      ["id", object.id],
      ["place", `${object.x}, ${object.y}`],
      ...(object.agent >= 0 ? ([["role", role < 0 ? "none" : resourceNames[role]]] as const) : []),
      ...(object.vibe || object.agent >= 0 ? ([["vibe", vibeNames[object.vibe] ?? String(object.vibe)]] as const) : []),
    ]);
    const { live } = this.app;
    const driver = live?.driverOf(object.agent) ?? null;
    const follow = button("Follow (F)", ICONS.follow, () => this.app.follow(!this.app.isFollowing));
    follow.setAttribute("aria-pressed", String(this.app.isFollowing));
    const teams = episode.teams.of(object).map((team) => teamBadge(team, this.app.palette));
    return el(
      "header",
      { class: "object-head" },
      icon,
      el(
        "div",
        { class: "grow" },
        el("h2", { attrs: { "data-testid": "object-title" } }, title),
        el("div", { class: "badges" }, ...teams),
      ),
      follow,
      this.closer(),
      row,
      driver ? el("p", { class: "driver", attrs: { "data-fact": "driver" } }, `Driven by ${driver}`) : null,
      live && object.agent >= 0 ? this.driving(object.agent) : null,
    );
  }

  private driving(agent: number): HTMLElement | null {
    const live = this.app.live!;
    if (agent !== live.driven && !live.canDrive(agent)) return null;
    const control =
      agent === live.driven
        ? button("Hand the cog back to its policy (H)", ICONS.release, () => live.handBack(), "Hand back")
        : button(
            "Drive this cog (Shift D)",
            ICONS.drive,
            () => live.drive(agent, live.driverOf(agent) !== null),
            "Drive",
          );
    control.classList.add("framed");
    control.dataset.agent = String(agent);
    return control;
  }

  private doing(episode: Episode, frame: Frame, object: ObjectView): HTMLElement {
    const { actionNames, hasAsked } = episode.replay.parts;
    const agent = frame.agents[object.agent];
    const named = (action: number) => actionNames[action] ?? String(action);
    const rows: [string, string][] = [["action", `${named(agent.action)}${agent.success ? "" : " (failed)"}`]];
    if (hasAsked) {
      // A policy may request a move and a vibe in the same step.
      const vibe = agent.askedVibe ? ` + ${named(agent.askedVibe)}` : "";
      rows.push(["requested", `${named(agent.asked)}${vibe}`]);
    }
    rows.push(["reward", formatNumber(agent.reward)], ["total reward", formatNumber(agent.total)]);
    if (agent.talk) rows.push(["says", agent.talk]);
    return section("Action", facts(rows), this.recent(episode, object, frame.tick));
  }

  /** The last actions, newest first. */
  private recent(episode: Episode, object: ObjectView, tick: number): HTMLElement {
    const { timeline, parts } = episode.replay;
    const [action, success] = [Field.action, Field.success].map((field) => timeline.slot(field, object.number));
    const list = el("ol", { class: "actions", attrs: { "aria-label": "Last actions, newest first" } });
    const oldest = Math.max(tick - SHOWN_ACTIONS + 1, episode.replay.firstTick + (parts.hasStart ? 1 : 0));
    for (let at = tick; at >= oldest; at--) {
      const name = parts.actionNames[action < 0 ? 0 : timeline.valueAt(action, at)] ?? "?";
      const isDone = success >= 0 && timeline.valueAt(success, at) !== 0;
      const sign = ACTION_SIGNS[name] ?? name.replace(/^change_vibe_/, "");
      const state = isDone ? "done" : "failed";
      list.append(el("li", { class: state, title: `Tick ${at}: ${name}, ${state}` }, sign));
    }
    return list;
  }

  private bars(episode: Episode, object: ObjectView): HTMLElement | null {
    if (!episode.bars.length) return null;
    const rows = episode.bars.map(({ resource, name, most }) => {
      const amount = amountOf(object, resource);
      const limit = episode.limitOf(object.number, resource) || most;
      const bar = el("i", { class: "bar" });
      bar.style.setProperty("--part", String(Math.min(1, amount / limit)));
      bar.dataset.name = name;
      const text = el("span", { class: "amount", attrs: { "data-bar": name } }, `${amount} / ${limit}`);
      return el("div", { class: "bar-row" }, spriteIcon(`sign:${name}`, {}, name), bar, text);
    });
    return el("div", { class: "bars" }, ...rows);
  }

  private inventory(episode: Episode, object: ObjectView): HTMLElement | null {
    const { resourceNames } = episode.replay.parts;
    const groups = new Map<string, { used: number; limit: number; items: [string, number][] }>();
    for (const [resource, amount] of object.inventory) {
      const limit = episode.replay.kind(object.number).limits.find(({ resources, name }) => {
        return resources ? resources.includes(resource) : name === resourceNames[resource];
      });
      const title = limit ? limit.name || resourceNames[resource] : "other";
      const group = groups.get(title) ?? { used: 0, limit: episode.limitOf(object.number, resource), items: [] };
      group.used += amount;
      group.items.push([resourceNames[resource] ?? String(resource), amount]);
      groups.set(title, group);
    }
    if (!groups.size) return object.agent >= 0 ? section("Carries", el("p", { class: "quiet" }, "nothing")) : null;
    const rows = [...groups].map(([title, { used, limit, items }]) =>
      el(
        "div",
        { class: "items" },
        el(
          "span",
          { class: "items-name" },
          title,
          limit > 0 && limit < 65535 ? el("small", {}, ` ${used}/${limit}`) : null,
        ),
        ...items.map(([name, amount]) =>
          el(
            "span",
            { class: "item", title: name, attrs: { "data-item": name, "data-amount": amount } },
            spriteIcon(`sign:${name}`, {}, name),
            amount,
          ),
        ),
      ),
    );
    return section(object.agent >= 0 ? "Carries" : "Holds", ...rows);
  }

  private policy(episode: Episode, agent: number, tick: number): HTMLElement | null {
    const infos = Object.entries(infosAt(episode.replay, agent, tick));
    const text = monologueAt(episode.replay, agent, tick, 600);
    if (!infos.length && !text) return null;
    const rows = infos.map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)] as const);
    return section("Policy", facts(rows), text ? el("pre", { class: "monologue" }, text) : null);
  }

  private stats(episode: Episode, agent: number): HTMLElement | null {
    const stats = episode.replay.parts.agentStats[agent];
    if (!stats) return null;
    const list = el("details", {}, el("summary", {}, "Stats at the end"));
    list.append(facts(Object.entries(stats).map(([name, value]) => [name, formatNumber(value)] as const)));
    return list;
  }

  private tags(episode: Episode, object: ObjectView): HTMLElement | null {
    if (!object.tags.length) return null;
    const names = object.tags.map((tag) => episode.replay.parts.tagNames[tag] ?? String(tag));
    return section("Tags", el("div", { class: "chips" }, ...names.map((name) => el("span", { class: "chip" }, name))));
  }

  private config(episode: Episode, object: ObjectView): HTMLElement | null {
    const { cell } = episode.replay.kind(object.number);
    const objects = inside(episode.replay.parts.config, "game", "objects");
    const all = typeof objects === "object" && objects !== null ? Object.values(objects) : [];
    const names = (entry: Json) => [inside(entry, "map_name"), inside(entry, "name")];
    const objectConfig =
      all.find((entry) => cell && names(entry)[0] === cell) ?? all.find((entry) => names(entry)[1] === object.type);
    if (objectConfig === undefined) return null;
    if (this.rules?.objectConfig !== objectConfig)
      this.rules = { objectConfig, element: section("Rules", jsonTree("config", objectConfig)) };
    return this.rules.element;
  }
}

const ACTION_SIGNS: Readonly<Record<string, string>> = {
  noop: "·",
  move_north: "↑",
  move_south: "↓",
  move_west: "←",
  move_east: "→",
  move_northwest: "↖",
  move_northeast: "↗",
  move_southwest: "↙",
  move_southeast: "↘",
};

function amountOf(object: ObjectView, resource: number): number {
  return object.inventory.find(([held]) => held === resource)?.[1] ?? 0;
}
