import { el, onClick, renew } from "../../ui/dom";
import type { MyEntry, PolicyVersionRow, SeasonPage } from "../api-types";
import { counted, plainName, score } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { act, buttonLink, chip, link, policyLink, problem, time } from "./bits";

/** The user's policies in a season: status, last event and reason of each; and a form to enter another. */
export class Entries {
  readonly element = el("section", { class: "panel entries", attrs: { "aria-label": "Your policies in this season" } });
  private readonly list = el("div", { attrs: { "aria-live": "polite" } });
  private readonly actions = el("div", { class: "actions" });
  private readonly chooser = el("form", { class: "fields submit-form", attrs: { hidden: true } });
  private readonly choice = el("select", { class: "field", attrs: { "aria-label": "Policy to enter" } });
  private readonly answer = el("div");

  constructor(
    private readonly site: Site,
    private readonly season: string,
    private readonly entered: () => void,
  ) {
    const send = el("button", { class: "button solid", attrs: { type: "submit" } }, "Submit");
    this.chooser.append(
      this.choice,
      send,
      act("Cancel", () => this.close()),
    );
    this.chooser.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.submit();
    });
    this.element.append(this.list, this.actions, this.chooser, this.answer);
  }

  update(season: SeasonPage): void {
    const { me } = this.site.api;
    renew(
      this.list,
      season.my_entries.length > 0
        ? el("ul", { class: "plain-list entries-list" }, ...season.my_entries.map(entryLine))
        : null,
    );
    if (!season.takes_policies)
      renew(
        this.actions,
        el("p", { class: "quiet" }, season.why_closed ?? "This season does not accept policies now."),
      );
    else if (!me?.signed_in)
      renew(
        this.actions,
        link(to.signIn(location.pathname), "Sign in"),
        el("span", { class: "quiet" }, "to enter a policy"),
      );
    else renew(this.actions, this.opener(), buttonLink(to.upload(season.name), "Upload a policy"));
  }

  private opener(): HTMLElement {
    const opener = el(
      "button",
      { class: "button bordered", attrs: { type: "button", "data-testid": "submit-policy" } },
      "Submit a policy",
    );
    onClick(opener, () => void this.open());
    return opener;
  }

  private async open(): Promise<void> {
    renew(this.answer);
    try {
      const { entries } = await this.site.api.get("/stats/policy-versions", {}, { mine: true, limit: 100 });
      if (entries.length === 0) {
        renew(this.answer, el("p", {}, "You have no policies yet. ", link(to.upload(this.season), "Upload one")));
        return;
      }
      this.choice.replaceChildren(...entries.map(option));
      this.chooser.hidden = false;
      this.choice.focus();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  private close(): void {
    this.chooser.hidden = true;
  }

  private async submit(): Promise<void> {
    try {
      const words = { season: this.season };
      await this.site.api.post("/tournament/seasons/{season}/submissions", words, {
        policy_version_id: this.choice.value,
      });
      this.close();
      this.site.say("Submitted");
      this.entered();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }
}

function option(row: PolicyVersionRow): HTMLElement {
  return el("option", { attrs: { value: row.id } }, `${plainName(row.name)} v${row.version}`);
}

/** The status of an entry in one line. */
export function entryLine(entry: MyEntry): HTMLElement {
  const place = entry.place === null ? "" : `place ${entry.place} in the queue`;
  const standing = entry.rank === null ? "" : `rank ${entry.rank} with ${score(entry.score)}`;
  const played =
    entry.completed + entry.failed > 0
      ? `${counted(entry.completed, "match", "matches")} played${entry.failed ? `, ${entry.failed} failed` : ""}`
      : "";
  return el(
    "li",
    { class: "entry", attrs: { "data-policy": entry.policy.id, "data-state": entry.state } },
    el(
      "span",
      { class: "entry-head" },
      policyLink(entry.policy),
      chip(entry.state),
      el("span", { class: "mono small quiet" }, entry.pool),
    ),
    el("span", { class: "small" }, [standing, played, place].filter(Boolean).join(" · ")),
    el("span", { class: "small" }, entry.why),
    el("span", { class: "small quiet" }, entry.last_event, " ", time(entry.last_event_at)),
  );
}
