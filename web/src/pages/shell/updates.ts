import type { App, Change } from "../app";
import type { Hud } from "../hud";
import type { LayerMenu } from "../layers";
import type { LiveView } from "../live/view";
import type { TimelineBar } from "../timeline";
import type { AddressBar } from "./address-bar";
import type { Boards } from "./boards";
import { applyTheme, saveSettings } from "./settings";
import type { Side } from "./side";

/** Update interval of texts beside the board during playback; the board itself updates every frame. */
const SECONDS_PER_UPDATE = 0.1;
/** Minimum interval between updates of lists and charts while a live game grows. */
const SECONDS_PER_GROWTH = 0.5;

interface Parts {
  readonly app: App;
  readonly boards: Boards;
  readonly timeline: TimelineBar;
  readonly hud: Hud;
  readonly layerMenu: LayerMenu;
  readonly side: Side;
  readonly addressBar: AddressBar;
  readonly live: LiveView | null;
}

/** Advances the time in every frame, and updates the parts of the page after changes. */
export class Updates {
  private readonly pending = new Set<Change>();
  private updateDue = 0;
  private growthDue = 0;
  private grown = 0;
  private lastFrame = 0;

  constructor(private readonly parts: Parts) {
    parts.app.onChange((changes) => this.handle(changes));
  }

  start(): void {
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    const { app, boards, addressBar } = this.parts;
    const seconds = Math.min(0.25, (now - this.lastFrame) / 1000);
    this.lastFrame = now;
    if (app.advance(seconds)) boards.touch();
    for (const pane of boards.panes) pane.draw(seconds);
    this.noticeGrowth(seconds);
    this.updateDue -= seconds;
    if (this.pending.size && this.updateDue <= 0) this.refresh();
    addressBar.advance(seconds);
    requestAnimationFrame((next) => this.frame(next));
  }

  private noticeGrowth(seconds: number): void {
    this.growthDue -= seconds;
    const grown = this.parts.app.live?.grown ?? 0;
    if (grown === this.grown || this.growthDue > 0) return;
    this.grown = grown;
    this.growthDue = SECONDS_PER_GROWTH;
    this.pending.add("grown");
    this.parts.timeline.forget();
  }

  private handle(changes: ReadonlySet<Change>): void {
    const { app, boards } = this.parts;
    for (const change of changes) this.pending.add(change);
    if (changes.has("settings") || changes.has("replay")) this.restyle(changes.has("replay"));
    const isDriving = (app.live?.driven ?? -1) >= 0;
    if (changes.has("selection") && app.panel === "" && app.selectedId && !isDriving) app.openPanel("agent");
    boards.touch();
    // Playback updates texts a few times per second, user actions at once.
    if (!app.isRunning || changes.has("selection") || changes.has("panel")) this.refresh();
  }

  private restyle(isNewReplay: boolean): void {
    const { app, boards, layerMenu, timeline } = this.parts;
    const hasNewColours = applyTheme(app);
    for (const pane of boards.panes) pane.restyle(hasNewColours);
    layerMenu.update();
    saveSettings(app);
    if (hasNewColours || isNewReplay) timeline.redraw();
  }

  /** Update all texts. */
  private refresh(): void {
    const { timeline, hud, live, side } = this.parts;
    const began = performance.now();
    this.updateDue = SECONDS_PER_UPDATE;
    const changes = new Set(this.pending);
    this.pending.clear();
    if (!(changes.size === 1 && changes.has("hover"))) {
      timeline.update();
      hud.update();
      live?.update();
    }
    side.update(changes);
    // The longer an update takes, the rarer it runs: the game gets most of the time.
    if (changes.has("grown")) this.growthDue = Math.max(SECONDS_PER_GROWTH, (performance.now() - began) / 50);
  }
}
