import { el, onClick, renew } from "../../ui/dom";
import type { LeagueEntry, LeaguePage, PolicyVersionRow, RefusedSubmission } from "../api-types";
import { labelled, plainName } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { act, chip, link, policyLink, problem, time } from "./bits";
import { divisionLink, playerLink } from "./league-bits";
import { membershipActions } from "./membership-actions";

const CHAMPION: [string, string][] = [
  ["always", "plays at once: it becomes your champion"],
  ["lineage", "plays if your champion is an earlier version of it"],
  ["never", "waits on the bench until you choose it"],
];

/** The user's versions in a league: state, reason and actions of each; and a form to submit another. */
export class LeagueEntries {
  readonly element = el("section", { class: "panel entries", attrs: { "aria-label": "Your policies in this league" } });
  private readonly list = el("div", { attrs: { "aria-live": "polite" } });
  private readonly actions = el("div", { class: "actions" });
  private readonly form = el("form", { class: "fields submit-form", attrs: { hidden: true } });
  private readonly choice = el("select", { class: "field", attrs: { "aria-label": "Policy to submit" } });
  private readonly champion = el("select", { class: "field", attrs: { "aria-label": "When it plays" } });
  private readonly answer = el("div");

  constructor(
    private readonly site: Site,
    private readonly league: string,
    private readonly changed: () => void,
  ) {
    this.champion.append(...CHAMPION.map(([value, text]) => el("option", { attrs: { value } }, text)));
    this.form.append(
      this.choice,
      this.champion,
      el("button", { class: "button solid", attrs: { type: "submit" } }, "Submit"),
      act("Cancel", () => {
        this.form.hidden = true;
      }),
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.submit();
    });
    this.element.append(this.list, this.actions, this.form, this.answer);
  }

  update(league: LeaguePage): void {
    const { me } = this.site.api;
    renew(
      this.list,
      league.my_entries.length + league.my_refused.length > 0
        ? el(
            "ul",
            { class: "plain-list entries-list" },
            ...league.my_entries.map((entry) => this.line(entry)),
            ...league.my_refused.map(refusedLine),
          )
        : null,
    );
    const rules = link(to.league(league.id, "rules"), "How to enter");
    if (!league.takes_policies)
      renew(
        this.actions,
        el("p", { class: "quiet" }, league.why_closed ?? "This league takes no policies now."),
        rules,
      );
    else if (!me?.signed_in)
      renew(
        this.actions,
        link(to.signIn(location.pathname), "Sign in"),
        el("span", { class: "quiet" }, "to enter a policy"),
        rules,
      );
    else renew(this.actions, this.opener(), rules);
  }

  private line(entry: LeagueEntry): HTMLElement {
    const standing =
      entry.rank === null
        ? ""
        : `rank ${entry.rank} with ${labelled(entry.score, entry.score_label)} ${entry.score_label}`;
    return el(
      "li",
      { class: "entry", attrs: { "data-membership": entry.membership_id, "data-state": entry.state } },
      el(
        "span",
        { class: "entry-head" },
        policyLink(entry.policy),
        chip(entry.state),
        el("span", { class: "small quiet" }, "as ", playerLink(entry.player), " in ", divisionLink(entry.division)),
      ),
      standing ? el("span", { class: "small" }, standing) : null,
      el("span", { class: "small" }, `${entry.why}.`),
      el("span", { class: "small quiet" }, entry.last_event, " ", time(entry.last_event_at)),
      el(
        "span",
        { class: "actions" },
        ...membershipActions(this.site, entry, this.changed, (error) => renew(this.answer, problem(error))),
      ),
    );
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
        renew(
          this.answer,
          el("p", {}, "You have no policies yet: ", link(to.league(this.league, "rules"), "how to upload one")),
        );
        return;
      }
      this.choice.replaceChildren(...entries.map(option));
      this.form.hidden = false;
      this.choice.focus();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  private async submit(): Promise<void> {
    try {
      const submission = await this.site.api.post(
        "/v2/league-submissions",
        {},
        {
          league_id: this.league,
          policy_version_id: this.choice.value,
          auto_champion: this.champion.value as "always" | "lineage" | "never",
        },
      );
      this.form.hidden = true;
      this.site.say(submission.status === "placed" ? "Submitted" : `The submission is ${submission.status}`);
      this.changed();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }
}

function option(row: PolicyVersionRow): HTMLElement {
  return el("option", { attrs: { value: row.id } }, `${plainName(row.name)} v${row.version}`);
}

function refusedLine(row: RefusedSubmission): HTMLElement {
  return el(
    "li",
    { class: "entry" },
    el("span", { class: "entry-head" }, policyLink(row.policy), chip("failed", row.status)),
    el("span", { class: "small" }, row.notes ?? ""),
    el("span", { class: "small quiet" }, time(row.created_at)),
  );
}
