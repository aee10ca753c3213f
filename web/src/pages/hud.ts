import { teamColour } from "../board/palette";
import { el, renew } from "../ui/dom";
import type { App } from "./app";
import { formatNumber } from "./format";
import { heldBy, meanReward } from "./panels/score";
import { spriteIcon } from "./sprite-icon";

/** The score in a corner of the board: held objects and reward per team. */
export class Hud {
  readonly element = el("div", { class: "hud", attrs: { role: "group", "aria-label": "Score", "data-testid": "hud" } });

  constructor(private readonly app: App) {}

  update(): void {
    const { left } = this.app;
    if (!left) return renew(this.element);
    const frame = left.at(this.app.tick);
    const hasHoldings = left.teams.holdingTypes.size > 0;
    const chips = left.teams.list.slice(0, 8).map((team) => {
      const main = teamColour(team, this.app.palette);
      const mean = meanReward(frame, team);
      const chip = el("span", { class: "hud-chip", title: team.name, attrs: { "data-team": team.name } });
      chip.style.setProperty("--team", main);
      chip.append(el("span", { class: "hud-name" }, team.name));
      if (hasHoldings)
        chip.append(spriteIcon("junction", { main, second: main }), el("b", {}, heldBy(left, frame, team)));
      if (mean !== null)
        chip.append(
          el("span", { class: "hud-reward", title: "reward per agent" }, formatNumber(Number(mean.toFixed(3)))),
        );
      return chip;
    });
    renew(this.element, ...chips);
  }
}
