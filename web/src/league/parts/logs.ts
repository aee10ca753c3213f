import { el, renew } from "../../ui/dom";
import { address, RequestError } from "../api";
import type { MatchPage } from "../api-types";
import { count, plainName } from "../format";
import type { Site } from "../view";
import { problem } from "./bits";

const MOST_LETTERS = 200_000;
const LOGS = "/tournament/matches/{match_id}/{policy_version_id}/policy-logs";

/** Logs of the user's own agents, and the worker's log of the match; loaded when opened. */
export class MatchLogs {
  readonly element = el("div", { class: "column" });

  constructor(
    private readonly site: Site,
    private readonly match: MatchPage,
  ) {
    for (const policy of match.my_policies) this.element.append(this.of(policy));
  }

  private of(policy: string): HTMLElement {
    const ref = this.match.players.find((player) => player.policy.id === policy)?.policy;
    const words = { match_id: this.match.id, policy_version_id: policy };
    const box = el("div", {}, el("h3", {}, ref ? `${plainName(ref.name)} v${ref.version}` : policy));
    const artifact = (kind: string) =>
      address("/tournament/matches/{match_id}/{policy_version_id}/artifacts/{kind}", { ...words, kind });
    box.append(textFile(this.site, "Match log", artifact("logs")));
    if (this.match.status === "failed") box.append(textFile(this.site, "Error details", artifact("error-info")));
    void this.agents(box, words);
    return box;
  }

  private async agents(box: HTMLElement, words: { match_id: string; policy_version_id: string }): Promise<void> {
    try {
      const files = await this.site.api.get(LOGS, words);
      for (const file of files) {
        const agent = /(\d+)/.exec(file)?.[1] ?? "0";
        box.append(textFile(this.site, `Agent ${agent}`, `${address(LOGS, words)}/${agent}`));
      }
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 404)) box.append(problem(error as Error));
    }
  }
}

/** Texts that the user may read, each loaded when it is opened. */
export class TextFiles {
  readonly element = el("div");
  private readonly boxes = new Map<string, HTMLElement>();

  update(site: Site, files: readonly { title: string; url: string }[]): void {
    const shown = files.map((file) => {
      const known = this.boxes.get(file.url) ?? textFile(site, file.title, file.url);
      this.boxes.set(file.url, known);
      return known;
    });
    if (shown.length !== this.element.children.length || shown.some((box, i) => box !== this.element.children[i]))
      this.element.replaceChildren(...shown);
  }
}

function textFile(site: Site, title: string, path: string): HTMLElement {
  const body = el("div");
  const box = el("details", {}, el("summary", {}, title), body);
  box.addEventListener("toggle", () => {
    if (box.open && !body.firstChild) void load(site, body, path);
  });
  return box;
}

async function load(site: Site, body: HTMLElement, path: string): Promise<void> {
  renew(body, el("p", { class: "quiet" }, "Loading …"));
  try {
    const text = await site.api.text(path);
    const cut =
      text.length > MOST_LETTERS
        ? el("p", { class: "quiet small" }, `The last ${count(MOST_LETTERS)} of ${count(text.length)} characters`)
        : null;
    renew(
      body,
      cut,
      text.trim()
        ? el("pre", { attrs: { tabindex: 0 } }, text.slice(-MOST_LETTERS))
        : el("p", { class: "quiet" }, "The log is empty."),
    );
  } catch (error) {
    renew(body, problem(error as Error));
  }
}
