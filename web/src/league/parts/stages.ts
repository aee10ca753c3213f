import { el, renew } from "../../ui/dom";
import type { SeasonPage, Stage } from "../api-types";
import { count, counted, percent, words } from "../format";
import { to } from "../router";
import { chip, link, progressBar } from "./bits";

/** The stages of a season in order: type, progress and policies of each. */
export class StageFlow {
  readonly element = el("section", { class: "panel", attrs: { "aria-label": "Stages" } });

  update(season: SeasonPage): void {
    renew(
      this.element,
      el("h2", {}, "Stages"),
      el("ol", { class: "stages" }, ...season.stages.map((stage) => card(season, stage))),
    );
  }
}

function card(season: SeasonPage, stage: Stage): HTMLElement {
  const total = stage.completed + stage.failed + stage.running + stage.waiting;
  const numbers = [
    stage.teams > 0
      ? `${counted(stage.teams, "team")}, ${count(stage.eliminated)} eliminated`
      : `${counted(stage.active, "policy", "policies")}${stage.policies > stage.active ? `, ${count(stage.policies - stage.active)} inactive` : ""}`,
    total > 0 ? `${counted(stage.completed, "match", "matches")} played` : "",
    stage.failed > 0 ? `${count(stage.failed)} failed` : "",
    stage.running + stage.waiting > 0 ? `${count(stage.running)} running, ${count(stage.waiting)} waiting` : "",
  ].filter(Boolean);
  return el(
    "li",
    {
      class: `stage is-${stage.state}`,
      attrs: { "data-pool": stage.pool, "aria-current": stage.state === "active" && "step" },
    },
    el("h3", {}, `${stage.index}. ${stage.title}`),
    el(
      "p",
      { class: "chips" },
      chip(stage.state),
      chip("plain", words(stage.kind)),
      el("span", { class: "mono small quiet" }, stage.pool),
    ),
    el("p", { class: "small" }, stage.description),
    total > 0 &&
      el(
        "p",
        { class: "stage-progress" },
        progressBar(stage.percent / 100, `${stage.title}: matches ended`),
        el("span", { class: "small quiet" }, percent(stage.percent / 100)),
      ),
    el("p", { class: "small quiet" }, numbers.join(" · ")),
    el(
      "p",
      { class: "small" },
      total > 0 && link(`${to.season(season.name, "matches")}?pool=${encodeURIComponent(stage.pool)}`, "Matches"),
    ),
  );
}
