import { el, renew } from "../../ui/dom";
import type { SeasonPage } from "../api-types";
import type { Change } from "../live";
import { Source } from "../source";
import type { Site } from "../view";
import { loading, problem } from "./bits";
import { entryLine } from "./entries";

const KINDS = ["match", "membership", "table", "stage", "season", "queue"];

/** The progress of one entry, from the queue to its first score. */
export class Following {
  readonly element = el("div", { attrs: { "aria-live": "polite", "data-testid": "following" } }, loading());
  private readonly source: Source<SeasonPage>;

  constructor(
    site: Site,
    season: string,
    private readonly policy: string,
  ) {
    const ask = (signal: AbortSignal) => site.api.get("/observatory/api/seasons/{season}", { season }, {}, signal);
    this.source = new Source(
      ask,
      () => this.draw(),
      (change) => KINDS.includes(change.kind),
    );
    void this.source.load();
  }

  handleChanges(changes: readonly Change[]): void {
    this.source.handleChanges(changes);
  }

  refresh(): void {
    this.source.reload();
  }

  close(): void {
    this.source.close();
  }

  private draw(): void {
    const { value, error } = this.source;
    const mine = value?.my_entries.filter((entry) => entry.policy.id === this.policy) ?? [];
    if (error && !value) renew(this.element, problem(error));
    else if (mine.length === 0)
      renew(this.element, el("p", { class: "quiet" }, "Entered; the commissioner has not processed it yet."));
    else renew(this.element, el("ul", { class: "plain-list entries-list" }, ...mine.map(entryLine)));
  }
}
