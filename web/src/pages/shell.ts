import { type Episode, eventRows, historyRows, type ObjectView, ReplayError } from "../decode";
import { App, type Change } from "./app";
import { button, el, icon, replace } from "./dom";
import { chooseFile, saveBlob, saveTable } from "./files";
import { helpDialog } from "./help";
import { Hud } from "./hud";
import { ICONS } from "./icons";
import { type Actions, listenToKeys } from "./keys";
import { LayerMenu } from "./layers";
import type { Door } from "./live/door";
import { LiveView } from "./live/view";
import { loadAddress, loadFile, type Progress } from "./load";
import { Pane } from "./pane";
import { AgentPanel } from "./panels/agent";
import { ChartsPanel } from "./panels/charts";
import { ComparePanel } from "./panels/compare";
import { EventsPanel } from "./panels/events";
import { HeatPanel } from "./panels/heat";
import { InfoPanel } from "./panels/info";
import type { Panel } from "./panels/panel";
import { ScorePanel } from "./panels/score";
import { SearchPanel } from "./panels/search";
import { SightPanel } from "./panels/sight";
import { StatsPanel } from "./panels/stats";
import { TalkPanel } from "./panels/talk";
import { spriteIcon } from "./sprite-icon";
import { TimelineBar } from "./timeline";
import { hashOf } from "./url";

/** Update interval of texts beside the board during playback; the board itself updates every frame. */
const SECONDS_PER_UPDATE = 0.1;
const SECONDS_PER_ADDRESS = 1;
/** Minimum interval between updates of lists and charts while a live game grows. */
const SECONDS_PER_GROWTH = 0.5;
/** Minimum pixels per cell for driving a cog comfortably. */
const CLOSE_SCALE = 30;

/** The whole page: the layout of its parts and the connections between them. */
export class Shell implements Actions {
  readonly app = new App();
  private readonly boards = el("div", { class: "boards" });
  private readonly side = el("aside", { class: "side" });
  private readonly panelHolder = el("div", { class: "panel", attrs: { role: "region" } });
  private readonly tabs = el("nav", { class: "tabs", attrs: { "aria-label": "Panels" } });
  private readonly title = el("h1", { class: "title", attrs: { "data-testid": "title" } });
  private readonly subtitle = el("span", { class: "subtitle quiet" });
  private readonly cover = el("div", { class: "cover" });
  private readonly notice = el("div", { class: "notice", attrs: { role: "status" } });
  private readonly timeline = new TimelineBar(this.app);
  private readonly hud = new Hud(this.app);
  private readonly layerMenu = new LayerMenu(this.app);
  private help = helpDialog(false);
  private live: LiveView | null = null;
  private grown = 0;
  private growthDue = 0;
  private readonly searchPanel: SearchPanel;
  private readonly panels: Panel[];
  private panes: Pane[] = [];
  private shownPanel: Panel | null = null;
  private missed = new Set<Change>();
  private updateDue = 0;
  private addressDue = 0;
  private lastFrame = 0;
  private noticeTimer = 0;

  constructor(private readonly root: HTMLElement) {
    const lookAt = (object: ObjectView | { x: number; y: number }) => this.lookAt(object.x, object.y);
    this.searchPanel = new SearchPanel(this.app, lookAt);
    this.panels = [
      new AgentPanel(this.app, lookAt),
      new SightPanel(this.app),
      new EventsPanel(this.app, lookAt),
      new ChartsPanel(this.app),
      new HeatPanel(this.app, lookAt),
      this.searchPanel,
      new ScorePanel(this.app),
      new StatsPanel(this.app),
      new TalkPanel(this.app),
      new InfoPanel(this.app),
      new ComparePanel(
        this.app,
        () => this.openBeside(),
        () => this.closeBeside(),
      ),
    ];
    this.app.onChange((changes) => this.changed(changes));
  }

  async start(): Promise<void> {
    this.restoreSettings();
    this.layOut();
    this.applyTheme();
    this.panes = [await Pane.create(this.app)];
    this.boards.prepend(this.panes[0].element);
    listenToKeys(this.app, this);
    this.listenToDrops();
    globalThis
      .matchMedia?.("(prefers-color-scheme: dark)")
      .addEventListener("change", () => this.app.changed("settings"));
    this.welcome();
    this.refreshPanel(new Set(["panel"]));
    requestAnimationFrame((now) => this.frame(now));
  }

  /* ---- live games ---- */

  /** Join the game that served this page. */
  openLive(door: Door): void {
    this.cover.hidden = false;
    replace(
      this.cover,
      el("div", { class: "card", attrs: { role: "status" } }, el("p", {}, "Connecting to the game"), el("progress")),
    );
    this.root.classList.add("is-live-page");
    const live = new LiveView(this.app, door, {
      showLines: (episode, beside) => void this.showLines(episode, beside),
      say: (sentence, link) => this.say(sentence, link),
      failed: (sentence) => this.failed(sentence),
      watchSelection: () => this.watchSelection(),
    });
    this.live = live;
    this.boards.append(...live.layers);
    this.timeline.element.before(live.bar.element);
    this.panes[0].onCell = (x, y, event) => live.order(x, y, event);
    const help = helpDialog(true);
    this.help.replaceWith(help);
    this.help = help;
    live.update();
  }

  /** Zoom in for driving, unless the whole map is visible at that scale. */
  private watchSelection(): void {
    if (globalThis.matchMedia?.("(max-width: 760px)").matches) this.app.openPanel(""); // make room for the board
    const { camera } = this.panes[0];
    if (!camera || camera.fitScale() >= CLOSE_SCALE) return this.fit();
    this.app.follow(true);
    if (camera.scale < CLOSE_SCALE) for (const pane of this.panes) pane.camera?.lookAt(camera.x, camera.y, CLOSE_SCALE);
    this.touch();
  }

  private async showLines(left: Episode, right: Episode | null): Promise<void> {
    this.cover.hidden = true;
    this.app.showLines(left, right);
    if (right && !this.panes[1]) {
      const second = await Pane.create(this.app);
      if (this.app.right !== right) return second.destroy();
      this.panes.push(second);
      this.panes[0].element.after(second.element);
    }
    if (!right) for (const pane of this.panes.splice(1)) pane.destroy();
    this.boards.classList.toggle("is-split", right !== null);
    this.panes[0].show(left, right ? left.name : "");
    if (right) this.panes[1].show(right, right.name);
    this.linkCameras();
    this.panes[0].onCamera();
    this.describe(left);
  }

  /* ---- opening replays ---- */

  /** Show the loaded replay, or the error message. Never throws. */
  async open(load: (progress: Progress) => Promise<Episode>, address: string, isBeside = false): Promise<boolean> {
    try {
      const episode = await load((what, part) => this.progress(what, part));
      if (isBeside && this.app.left) await this.showBeside(episode, address);
      else await this.showEpisode(episode, address);
      this.cover.hidden = true;
      return true;
    } catch (error) {
      const message = error instanceof ReplayError ? error.message : "The replay could not be shown";
      if (!(error instanceof ReplayError)) console.warn(error);
      this.failed(message);
      return false;
    }
  }

  openFile(): void {
    if (this.live) return this.say("This page shows a live game; open replays with `python -m mettagrid.viewer`");
    void chooseFile().then((file) => file && this.open((progress) => loadFile(file, progress), ""));
  }

  openBeside(): void {
    if (this.live) return this.say("Compare a live game with a branch of it: use “What if from here”");
    void chooseFile().then((file) => file && this.open((progress) => loadFile(file, progress), "", true));
  }

  openAddress(address: string, isBeside = false): Promise<boolean> {
    return this.open((progress) => loadAddress(address, progress), address, isBeside);
  }

  closeBeside(): void {
    if (this.live) return this.live.game.closeBranch();
    for (const pane of this.panes.splice(1)) pane.destroy();
    this.boards.classList.remove("is-split");
    this.app.showBeside(null, "");
    this.panes[0].show(this.app.left!, "");
  }

  private async showEpisode(episode: Episode, address: string): Promise<void> {
    for (const pane of this.panes.splice(1)) pane.destroy();
    this.boards.classList.remove("is-split");
    this.app.show(episode, address);
    this.panes[0].show(episode, "");
    this.describe(episode);
  }

  private describe(episode: Episode): void {
    const { parts } = episode.replay;
    this.title.textContent = this.live?.game.title || parts.label || episode.name;
    this.title.title = this.title.textContent;
    const seed = parts.seed === null ? "" : `, seed ${parts.seed}`;
    const steps = this.live ? "live" : `${episode.replay.steps} steps`;
    this.subtitle.textContent = `${steps}, ${parts.numAgents} agents${seed}`;
    document.title = `${this.title.textContent} – MettaScope`;
  }

  private async showBeside(episode: Episode, address: string): Promise<void> {
    for (const pane of this.panes.splice(1)) pane.destroy();
    const second = await Pane.create(this.app);
    this.panes.push(second);
    this.panes[0].element.after(second.element);
    this.boards.classList.add("is-split");
    this.app.showBeside(episode, address);
    this.panes[0].show(this.app.left!, this.app.left!.name);
    second.show(episode, episode.name);
    this.linkCameras();
  }

  private linkCameras(): void {
    this.panes.forEach((pane, i) => {
      pane.onCamera = () => {
        const other = this.panes[1 - i];
        if (!other?.camera || !pane.camera) return;
        other.camera.lookAt(pane.camera.x, pane.camera.y, pane.camera.scale, true);
        other.touch();
      };
    });
  }

  private progress(what: string, part: number | null): void {
    this.cover.hidden = false;
    const bar = el("progress", { attrs: part === null ? {} : { value: part, max: 1 } });
    replace(
      this.cover,
      el("div", { class: "card", attrs: { role: "status" } }, el("p", {}, `${what} the replay`), bar),
    );
  }

  /** Show an error in one sentence. An open replay stays. */
  failed(message: string): void {
    this.cover.hidden = false;
    const card = el(
      "div",
      { class: "card" },
      el("p", { class: "error", attrs: { role: "alert", "data-testid": "error" } }, message),
    );
    if (this.app.left) {
      const back = el("button", { class: "button", attrs: { type: "button" } }, "Back to the replay");
      back.addEventListener("click", () => (this.cover.hidden = true));
      card.append(back);
    }
    if (!this.live) card.append(this.openers());
    replace(this.cover, card);
  }

  private welcome(): void {
    const cog = spriteIcon("cog:scout", { main: "#3fa9c9" });
    cog.width = cog.height = 72;
    const hint = "Drop a replay here, choose a file, or enter an address. Files stay on your machine.";
    replace(
      this.cover,
      el("div", { class: "card" }, cog, el("h2", {}, "MettaScope"), el("p", { class: "quiet" }, hint), this.openers()),
    );
  }

  private openers(): HTMLElement {
    const field = el("input", {
      class: "field",
      attrs: { type: "url", placeholder: "https://…/episode.json.z", "aria-label": "Address of a replay" },
    });
    const go = el(
      "form",
      { class: "fields" },
      field,
      el("button", { class: "button", attrs: { type: "submit" } }, "Load"),
    );
    go.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value) void this.openAddress(field.value);
    });
    return el(
      "div",
      { class: "openers" },
      button("Open a file (Shift O)", ICONS.open, () => this.openFile(), "Open a file"),
      go,
    );
  }

  private listenToDrops(): void {
    const over = (event: DragEvent) => {
      event.preventDefault();
      this.root.classList.add("is-dropping");
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) this.root.classList.remove("is-dropping");
    });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.root.classList.remove("is-dropping");
      const files = [...(event.dataTransfer?.files ?? [])];
      const address = event.dataTransfer?.getData("text/uri-list");
      if (this.live) return this.openFile();
      if (files.length) void this.openDropped(files, event.shiftKey);
      else if (address) void this.openAddress(address.split("\n")[0].trim());
    });
  }

  /** Open one file, or two side by side. With Shift, open a file beside the current replay. */
  private async openDropped(files: File[], isBeside: boolean): Promise<void> {
    await this.open((progress) => loadFile(files[0], progress), "", isBeside);
    if (files[1] && this.app.left) await this.open((progress) => loadFile(files[1], progress), "", true);
  }

  /* ---- actions of keys and buttons ---- */

  copyLink(): void {
    if (this.live) return this.say("Only the host can create links to a live game, with “Invite”");
    const address = `${location.href.split("#")[0]}${hashOf(this.app)}`;
    const isOwnFile = !this.app.address && !document.getElementById("replay-data");
    const hint = isOwnFile ? "; it stores the tick and the selection, but the file itself must be opened first" : "";
    const say = () => this.say(`Link copied${hint}`);
    const ask = () => this.say("Copy this link:", address);
    if (navigator.clipboard) navigator.clipboard.writeText(address).then(say, ask);
    else ask();
  }

  savePicture(): void {
    void this.panes[0].picture().then((blob) => {
      if (blob && this.app.left) saveBlob(blob, `${this.baseName()}-tick-${this.app.tick}.png`);
    });
  }

  saveTable(): void {
    const table = this.app.left && this.shownPanel?.table?.();
    if (table) saveTable(table.rows, `${this.baseName()}-${table.name}`);
    else this.say("This panel has no table to save");
  }

  showHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  /** Close open menus and dialogs; return whether there were any. */
  closeAll(): boolean {
    const menus = [...this.root.querySelectorAll<HTMLDetailsElement>("details.menu[open]")];
    for (const menu of menus) menu.open = false;
    if (!this.help.open) return menus.length > 0;
    this.help.close();
    return true;
  }

  toEvent(direction: 1 | -1): void {
    this.timeline.toEvent(direction);
  }

  fit(): void {
    this.app.follow(false);
    for (const pane of this.panes) pane.camera?.fit();
    this.touch();
  }

  zoom(factor: number): void {
    for (const pane of this.panes) pane.camera?.zoom(factor);
    this.touch();
  }

  pan(columns: number, rows: number): void {
    this.app.follow(false);
    for (const pane of this.panes)
      pane.camera?.pan((columns * 120) / pane.camera.scale, (rows * 120) / pane.camera.scale);
    this.touch();
  }

  lookAt(x: number, y: number): void {
    for (const pane of this.panes) pane.lookAt(x, y);
  }

  lookAtSelection(): void {
    const { left } = this.app;
    const object = left && this.app.selectedObject(left, left.at(this.app.tick));
    if (object) this.lookAt(object.x, object.y);
  }

  /** Select the nearest object in a direction from the selected one, or from the centre of the view. */
  selectTowards(dx: number, dy: number): void {
    const { left } = this.app;
    if (!left) return;
    const frame = left.at(this.app.tick);
    const own = this.app.selectedObject(left, frame);
    const { camera } = this.panes[0];
    const [x, y] = own ? [own.x, own.y] : [camera?.x ?? 0, camera?.y ?? 0];
    let best: ObjectView | null = null;
    let nearest = Infinity;
    for (const object of frame.objects) {
      const ahead = (object.x - x) * dx + (object.y - y) * dy;
      const aside = Math.abs((object.x - x) * dy) + Math.abs((object.y - y) * dx);
      if (ahead <= 0 || aside > ahead * 2 || object === own) continue;
      if (ahead + aside * 2 < nearest) [best, nearest] = [object, ahead + aside * 2];
    }
    if (!best) return;
    this.app.select(best.id);
    for (const pane of this.panes) pane.camera?.keepInView(best.x + 0.5, best.y + 0.5);
    this.touch();
  }

  /** Open the search panel and focus its field. */
  search(): void {
    this.app.openPanel("search");
    queueMicrotask(() => requestAnimationFrame(() => this.searchPanel.focus()));
  }

  /* ---- the page ---- */

  private layOut(): void {
    const header = el(
      "header",
      { class: "top" },
      el("div", { class: "brand" }, spriteIcon("cog", { main: "#3fa9c9" }), el("span", {}, "MettaScope")),
      el("div", { class: "names grow" }, this.title, this.subtitle),
      el(
        "div",
        { class: "tools", attrs: { role: "group", "aria-label": "Page" } },
        button("Open a file (Shift O)", ICONS.open, () => this.openFile()),
        button("Compare with a second replay (Shift B)", ICONS.compare, () => this.openBeside()),
        button("Copy a link to this tick (Shift L)", ICONS.link, () => this.copyLink()),
        this.exportMenu(),
        button("Colours for the colour-blind (Y)", ICONS.palette, () =>
          this.app.set("palette", this.app.palette === "standard" ? "colour-blind" : "standard"),
        ),
        button("Switch theme (X)", ICONS.theme, () =>
          this.app.set("theme", this.app.themeNow.name === "dark" ? "light" : "dark"),
        ),
        button("Help (?)", ICONS.help, () => this.showHelp()),
      ),
    );
    const corner = el(
      "div",
      { class: "corner" },
      button("The whole map (Z)", ICONS.fit, () => this.fit()),
      this.layerMenu.element,
    );
    this.boards.append(this.hud.element, corner, this.cover);
    for (const panel of this.panels) this.tabs.append(this.tab(panel));
    this.side.append(this.panelHolder, this.tabs);
    replace(
      this.root,
      header,
      el("main", { class: "middle" }, this.boards, this.side),
      this.timeline.element,
      this.notice,
      this.help,
    );
    this.notice.hidden = true;
    // A click outside closes a menu.
    document.addEventListener("pointerdown", (event) => {
      for (const menu of this.root.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
        if (!menu.contains(event.target as Node)) menu.open = false;
      }
    });
  }

  private tab(panel: Panel): HTMLButtonElement {
    const control = button(panel.title, "", () => this.app.openPanel(this.app.panel === panel.name ? "" : panel.name));
    control.className = "tab";
    control.dataset.panel = panel.name;
    control.append(icon(panel.icon), el("span", {}, panel.title));
    return control;
  }

  private exportMenu(): HTMLElement {
    const entry = (name: string, run: () => void) => {
      const item = el("button", { class: "menu-entry", attrs: { type: "button" } }, name);
      item.addEventListener("click", () => {
        this.closeAll();
        if (this.app.left) run();
      });
      return item;
    };
    const { app } = this;
    return el(
      "details",
      { class: "menu" },
      el("summary", { class: "button", title: "Export", attrs: { "aria-label": "Export" } }, icon(ICONS.export)),
      el(
        "div",
        { class: "menu-body" },
        entry("Board as a picture (PNG)", () => this.savePicture()),
        entry("Table of this panel (CSV)", () => this.saveTable()),
        entry("Teams over time (CSV)", () =>
          saveTable(historyRows(app.left!.history, app.left!.replay), `${this.baseName()}-teams`),
        ),
        entry("All events (CSV)", () => saveTable(eventRows(app.left!.events), `${this.baseName()}-events`)),
      ),
    );
  }

  private baseName(): string {
    return (this.app.left?.name ?? "replay").replace(/(\.json)?\.(z|gz|json|cogreplay|replay|bin)$/, "");
  }

  say(text: string, link = ""): void {
    const field = el("input", { class: "field", attrs: { readonly: true, value: link, "aria-label": "Link" } });
    replace(this.notice, text, link ? field : null);
    this.notice.hidden = false;
    if (link) field.select();
    clearTimeout(this.noticeTimer);
    this.noticeTimer = window.setTimeout(() => (this.notice.hidden = true), link ? 20_000 : 3_500);
  }

  /* ---- time and updates ---- */

  private frame(now: number): void {
    const seconds = Math.min(0.25, (now - this.lastFrame) / 1000);
    this.lastFrame = now;
    if (this.app.advance(seconds)) this.touch();
    for (const pane of this.panes) pane.draw(seconds);
    this.noticeGrowth(seconds);
    this.updateDue -= seconds;
    this.addressDue -= seconds;
    if (this.missed.size && this.updateDue <= 0) this.refresh();
    if (this.addressDue <= 0) this.writeAddress();
    requestAnimationFrame((next) => this.frame(next));
  }

  private noticeGrowth(seconds: number): void {
    this.growthDue -= seconds;
    const grown = this.app.live?.grown ?? 0;
    if (grown === this.grown || this.growthDue > 0) return;
    this.grown = grown;
    this.growthDue = SECONDS_PER_GROWTH;
    this.missed.add("grown");
    this.timeline.forget();
  }

  private changed(changes: ReadonlySet<Change>): void {
    for (const change of changes) this.missed.add(change);
    if (changes.has("settings") || changes.has("replay")) {
      const hasNewColours = this.applyTheme();
      for (const pane of this.panes) pane.restyle(hasNewColours);
      this.layerMenu.update();
      this.saveSettings();
      if (hasNewColours || changes.has("replay")) this.timeline.redraw();
    }
    const isDriving = (this.app.live?.driven ?? -1) >= 0;
    if (changes.has("selection") && this.app.panel === "" && this.app.selectedId && !isDriving)
      this.app.openPanel("agent");
    this.touch();
    // Playback updates texts a few times per second, user actions at once.
    if (!this.app.isRunning || changes.has("selection") || changes.has("panel")) this.refresh();
  }

  /** Update all texts. */
  private refresh(): void {
    const began = performance.now();
    this.updateDue = SECONDS_PER_UPDATE;
    const changes = new Set(this.missed);
    this.missed.clear();
    if (!(changes.size === 1 && changes.has("hover"))) {
      this.timeline.update();
      this.hud.update();
      this.live?.update();
    }
    this.refreshPanel(changes);
    // The longer an update takes, the rarer it runs: the game gets most of the time.
    if (changes.has("grown")) this.growthDue = Math.max(SECONDS_PER_GROWTH, (performance.now() - began) / 50);
  }

  private refreshPanel(changes: Set<Change>): void {
    const panel = this.panels.find(({ name }) => name === this.app.panel) ?? null;
    if (panel !== this.shownPanel) {
      this.shownPanel = panel;
      replace(this.panelHolder, panel?.element);
      if (panel) this.panelHolder.setAttribute("aria-label", panel.title);
      this.side.classList.toggle("is-closed", !panel);
      changes.add("panel").add("replay");
      for (const tab of this.tabs.children) {
        tab.setAttribute("aria-pressed", String((tab as HTMLElement).dataset.panel === panel?.name));
      }
    }
    if (changes.has("hover") && changes.size === 1 && panel?.name !== "heat") return;
    panel?.update(changes);
  }

  private touch(): void {
    for (const pane of this.panes) pane.touch();
  }

  /** Apply the theme and palette; return whether the colours changed. */
  private applyTheme(): boolean {
    const { dataset } = document.documentElement;
    const look = `${this.app.themeNow.name}/${this.app.palette}`;
    if (dataset.look === look) return false;
    dataset.look = look;
    dataset.theme = this.app.themeNow.name;
    return true;
  }

  private writeAddress(): void {
    this.addressDue = SECONDS_PER_ADDRESS;
    if (!this.app.left) return;
    const hash = hashOf(this.app);
    if (location.hash === hash) return;
    try {
      history.replaceState(null, "", hash);
    } catch {
      this.addressDue = Infinity; // an embedded page may not be allowed to
    }
  }

  private saveSettings(): void {
    try {
      localStorage.setItem("mettascope", JSON.stringify(this.app.save()));
    } catch {
      // An embedded page, or one from disk, may have no storage.
    }
  }

  private restoreSettings(): void {
    try {
      this.app.restore(JSON.parse(localStorage.getItem("mettascope") ?? "null"));
    } catch {
      // as above
    }
  }
}
