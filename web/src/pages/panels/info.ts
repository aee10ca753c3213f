import type { Episode } from "../../decode";
import { el, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { formatNumber } from "../format";
import { facts, jsonTree, type Panel, section } from "./panel";

const FORMATS: Readonly<Record<string, string>> = { cogreplay: "cogreplay (random access)" };

/** Metadata of the replay, its policies, and the full config. */
export class InfoPanel implements Panel {
  readonly name = "info";
  readonly title = "About";
  readonly icon = ICONS.info;
  readonly element = el("div", { class: "panel-body" });
  private shown: Episode | null = null;

  constructor(private readonly app: App) {}

  update(_: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (!left || left === this.shown) return;
    this.shown = left;
    const { parts } = left.replay;
    const seats = new Map<string, number[]>();
    for (let agent = 0; agent < parts.numAgents; agent++) {
      const name = left.policyOf(agent) || "unnamed";
      seats.set(name, [...(seats.get(name) ?? []), agent]);
    }
    renew(
      this.element,
      section(
        "Replay",
        facts([
          ["file", left.name],
          ["size", `${formatNumber(Math.ceil(left.size / 1024))} kB`],
          ["format", FORMATS[parts.format] ?? parts.format],
          ["mission", parts.label || "unknown"],
          ["engine", parts.engine || "unknown"],
          ["seed", parts.seed ?? "unknown"],
          ["map", `${parts.width} × ${parts.height}`],
          ["agents", parts.numAgents],
          ["steps", `${left.replay.steps}${parts.maxSteps ? ` of ${parts.maxSteps}` : ""}`],
          ["ticks", `${left.replay.firstTick} to ${left.replay.lastTick}`],
          ["objects", formatNumber(left.replay.objectCount)],
          ["territory", left.territory.source],
        ]),
      ),
      section("Policies", facts([...seats].map(([name, agents]) => [name, agentList(agents)] as const))),
      section("Config", jsonTree("mg_config", parts.config)),
      section("Policy interface", jsonTree("policy_env_interface", parts.policyEnvInterface)),
    );
  }
}

function agentList(agents: readonly number[]): string {
  const shown = agents.slice(0, 40).join(", ");
  return `agents ${shown}${agents.length > 40 ? ", …" : ""}`;
}
