import { el, icon } from "../../ui/dom";
import { atTick } from "../moments";
import type { Site } from "../view";
import { empty, ICONS, Part } from "./bits";
import { REPLAY_FRAME } from "./explanation";
import { shareButton, tickIn } from "./share-menu";

interface Shown {
  readonly id: string;
  readonly viewer_url: string | null;
  readonly watch_url: string | null;
  readonly replay_url: string | null;
  readonly completed_at: string | null;
}

/** The viewer on the page of a match: live while it is played, then its replay. */
export class ReplayFrame {
  private readonly frame = el("div", { class: "replay" });
  readonly part = new Part("Replay", this.frame);

  constructor(private readonly site: Site) {}

  /** `why` is the sentence for a match without a replay. */
  update(match: Shown, page: { readonly path: string; readonly title: string; readonly why: string }): void {
    const { dataset } = this.frame;
    // The viewer of a running match continues with its replay by itself.
    const viewer = match.viewer_url && atTick(match.viewer_url, location.search);
    const address = viewer ?? match.watch_url ?? (match.completed_at ? null : (dataset.address ?? null));
    const isLive = !viewer && address !== null;
    this.part.show(isLive ? "Live" : "Replay", address !== null, empty(page.why));
    if (address === null || dataset.address === address || (dataset.live === match.id && !isLive)) return;
    dataset.address = address;
    dataset.live = isLive ? match.id : "";
    const shown = el("iframe", {
      title: isLive ? "This match while it is played" : "The replay of this match",
      attrs: { src: address, name: REPLAY_FRAME, loading: "lazy", allow: "fullscreen" },
    });
    const whole = el(
      "a",
      { class: "button bordered", attrs: { href: address, target: "_blank", rel: "noopener" } },
      icon(ICONS.full),
      "Full screen",
    );
    const share = shareButton(this.site, {
      path: page.path,
      title: page.title,
      embeds: true,
      tick: () => tickIn(shown),
    });
    this.frame.replaceChildren(shown, el("p", { class: "actions" }, whole, downloadOf(match.replay_url), share));
  }
}

function downloadOf(address: string | null): HTMLElement | string {
  if (!address) return "";
  return el("a", { class: "button bordered", attrs: { href: address, download: "" } }, icon(ICONS.down), "Download");
}
