import { el, renew } from "../../ui/dom";
import type { FriendlyLine } from "../api-types";
import type { Site } from "../view";
import { Part } from "./bits";
import { friendlyItem } from "./challenges";

/** The friendly matches of a policy version; hidden while there are none. */
export class FriendlyList {
  private readonly part = new Part("Friendly matches");
  readonly element = this.part.element;

  constructor(
    private readonly site: Site,
    private readonly policy: string,
  ) {
    this.element.hidden = true;
    void this.load();
  }

  private async load(): Promise<void> {
    const path = "/observatory/api/friendlies/of-policy/{policy_version_id}";
    try {
      this.draw(await this.site.api.get(path, { policy_version_id: this.policy }));
    } catch {
      // The page itself reports that the server does not respond.
    }
  }

  private draw(rows: readonly FriendlyLine[]): void {
    this.element.hidden = rows.length === 0;
    const lines = rows.map((row) => friendlyItem(this.site, row, () => void this.load()));
    renew(this.part.body, el("ul", { class: "plain-list" }, ...lines));
  }
}
