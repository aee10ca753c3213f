import { el, renew } from "../../ui/dom";
import type { CommissionerMessageRow, RoundPage } from "../api-types";
import { words } from "../format";
import type { Site } from "../view";
import { act, empty, facts, Part, problem, time } from "./bits";
import { gameFrame } from "./game-frame";

/** What the program that ran a round left: notes, warnings, its reasons, its own report; messages for the owner. */
export class CommissionerReport {
  readonly element: HTMLElement;
  private readonly part = new Part("Commissioner");
  private readonly report = el("div", { class: "part-body" });
  private readonly frame = gameFrame("Report of the commissioner");
  private readonly messages = el("div", { class: "part-body" });
  private readonly opener: HTMLButtonElement;
  private readonly round: string;

  constructor(
    private readonly site: Site,
    round: string,
  ) {
    this.round = round;
    this.element = this.part.element;
    this.frame.classList.add("report-frame");
    this.frame.hidden = true;
    this.opener = act("Show the messages", () => void this.load());
    this.part.body.append(this.report, this.frame, this.opener, this.messages);
  }

  update(page: RoundPage): void {
    const { commissioner: left } = page;
    this.element.hidden = left === null;
    if (!left) return;
    this.opener.hidden = !page.may_manage;
    renew(
      this.report,
      page.error ? el("p", { class: "problem" }, page.error) : null,
      left.notes ? el("p", {}, left.notes) : null,
      ...left.warnings.map((text) => el("p", { class: "problem" }, text)),
      left.rule || left.rule_description
        ? facts(["Rule", left.rule ?? "–"], ["Meaning", left.rule_description ?? "–"])
        : null,
      left.observed.length > 0
        ? el("ul", { class: "plain-list" }, ...left.observed.map((entry) => observedLine(page, entry)))
        : null,
      left.facts.length > 0
        ? facts(...left.facts.map((fact): [string, string] => [words(fact.name), fact.text]))
        : null,
      !left.notes && !left.rule && left.observed.length + left.facts.length + left.warnings.length === 0 && !page.error
        ? empty("The commissioner left no notes about this round.")
        : null,
    );
    this.frame.hidden = left.render_url === null;
    if (left.render_url && this.frame.dataset.address !== left.render_url) {
      this.frame.dataset.address = left.render_url;
      this.frame.src = left.render_url;
    }
  }

  private async load(): Promise<void> {
    try {
      const rows = await this.site.api.get(
        "/v2/rounds/{round_id}/commissioner-messages",
        { round_id: this.round },
        { limit: 200 },
      );
      renew(
        this.messages,
        rows.length ? el("ol", { class: "plain-list" }, ...rows.map(messageLine)) : empty("No messages."),
      );
    } catch (error) {
      renew(this.messages, problem(error as Error));
    }
  }
}

function observedLine(page: RoundPage, entry: Record<string, unknown>): HTMLElement {
  const own = page.participants.find((one) => one.policy.id === entry.policy_version_id);
  const label = own ? (own.player?.name ?? own.policy.name) : "an entrant";
  return el(
    "li",
    {},
    el("strong", {}, label),
    el("span", {}, String(entry.outcome ?? "")),
    entry.summary ? el("span", { class: "small" }, String(entry.summary)) : null,
  );
}

function messageLine(row: CommissionerMessageRow): HTMLElement {
  return el(
    "li",
    {},
    el(
      "details",
      {},
      el(
        "summary",
        {},
        `${row.from_commissioner ? "from" : "to"} the commissioner: ${words(row.message_type)} `,
        el("span", { class: "quiet small" }, time(row.created_at)),
      ),
      el("pre", { attrs: { tabindex: 0 } }, JSON.stringify(row.content, null, 2)),
    ),
  );
}
