import { type Episode, ReplayError } from "../../decode";
import { button, el, replace } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import { App } from "../app";
import { BroadcastView } from "../broadcast/view";
import { helpDialog } from "../help";
import { Hud } from "../hud";
import { type Actions, listenToKeys } from "../keys";
import { LayerMenu } from "../layers";
import type { Door } from "../live/door";
import { LiveView } from "../live/view";
import { loadAddress } from "../load";
import { createPanels } from "../panels";
import { TimelineBar } from "../timeline";
import { AddressBar } from "./address-bar";
import { Boards } from "./boards";
import { copyLink } from "./copy-link";
import { Cover } from "./cover";
import { listenToDrops } from "./drops";
import { Exports } from "./exports";
import { Header } from "./header";
import { closeMenus, closeMenusOnOutsideClick } from "./menus";
import { Navigation } from "./navigation";
import { Notice } from "./notice";
import { Replays } from "./replays";
import { applyTheme, followSystemTheme, restoreSettings } from "./settings";
import { Side } from "./side";
import { Updates } from "./updates";

/** The whole page: creates its parts, lays them out and connects them. */
export class Shell {
  readonly app = new App();
  readonly boards = new Boards(this.app);
  readonly timeline = new TimelineBar(this.app);
  readonly hud = new Hud(this.app);
  readonly layerMenu = new LayerMenu(this.app);
  readonly addressBar = new AddressBar(this.app);
  readonly notice = new Notice();
  readonly navigation = new Navigation(this.app, this.boards);
  readonly cover: Cover;
  readonly replays: Replays;
  readonly side: Side;
  readonly exports: Exports;
  readonly header: Header;
  /** null for a replay */
  live: LiveView | null = null;
  private help = helpDialog(this.app, false);
  private readonly updates: Updates;
  /** what keys and buttons do beyond changing the state */
  private readonly actions: Actions = {
    openFile: () => this.replays.openFile(),
    openBeside: () => this.replays.openBeside(),
    copyLink: () => copyLink(this.app, this.notice),
    savePicture: () => this.exports.savePicture(),
    saveTable: () => this.exports.saveTable(),
    showHelp: () => (this.help.open ? this.help.close() : this.help.showModal()),
    closeAll: () => this.closeAll(),
    toEvent: (direction) => this.timeline.toEvent(direction),
    fit: () => this.navigation.fit(),
    zoom: (factor) => this.navigation.zoom(factor),
    pan: (columns, rows) => this.navigation.pan(columns, rows),
    lookAtSelection: () => this.navigation.lookAtSelection(),
    selectTowards: (dx, dy) => this.navigation.selectTowards(dx, dy),
    search: () => this.side.openSearch(),
  };

  constructor(private readonly root: HTMLElement) {
    const { actions } = this;
    this.cover = new Cover(this.app, {
      openFile: actions.openFile,
      openAddress: (address) => void this.replays.openAddress(address),
    });
    this.replays = new Replays({
      app: this.app,
      boards: this.boards,
      cover: this.cover,
      notice: this.notice,
      opened: (episode) => this.describe(episode),
    });
    const panels = createPanels(this.app, {
      lookAt: ({ x, y }) => this.navigation.lookAt(x, y),
      openBeside: actions.openBeside,
      closeBeside: () => this.closeBeside(),
    });
    this.side = new Side(this.app, panels);
    this.exports = new Exports(this);
    this.header = new Header(
      this.app,
      actions,
      this.exports.menu(() => this.closeAll()),
    );
    this.updates = new Updates(this);
  }

  /** The boards, for tests and for debugging in the console. */
  get panes(): Boards["panes"] {
    return this.boards.panes;
  }

  /** Lay out the page and start drawing. */
  async start(): Promise<void> {
    restoreSettings(this.app);
    this.help = helpDialog(this.app, false); // it shows a setting
    this.layOut();
    applyTheme(this.app);
    await this.boards.start();
    listenToKeys(this.app, this.actions);
    listenToDrops(this.root, (drop) => void this.replays.openDropped(drop));
    followSystemTheme(this.app);
    this.cover.showWelcome();
    this.side.update(new Set(["panel"]));
    this.updates.start();
  }

  /** Join the game that served this page. */
  openLive(door: Door): void {
    this.cover.showProgress("Connecting to the game");
    this.root.classList.add("is-live-page");
    const live = new LiveView(this.app, door, {
      showLines: (left, right) => void this.showLines(left, right),
      say: (sentence, link) => this.notice.say(sentence, link),
      failed: (sentence) => this.cover.showError(sentence),
      watchSelection: () => this.navigation.watchSelection(),
    });
    this.live = live;
    this.boards.element.append(...live.layers);
    this.timeline.element.before(live.bar.element);
    this.boards.first.onCell = (x, y, event) => live.order(x, y, event);
    const help = helpDialog(this.app, true);
    this.help.replaceWith(help);
    this.help = help;
    live.update();
  }

  /** Watch a running match; its replay takes its place at the end. */
  openBroadcast(address: URL, isStill: boolean): void {
    this.cover.showProgress("Connecting to the match");
    this.root.classList.add("is-live-page");
    const page = {
      show: (episode: Episode) => void this.showLines(episode, null),
      load: async (replay: string) => {
        try {
          return await loadAddress(replay, () => undefined);
        } catch (error) {
          const sentence = error instanceof ReplayError ? error.message : "The replay could not be shown";
          if (this.app.left) this.notice.say(sentence);
          else this.cover.showError(sentence);
          return null;
        }
      },
      waiting: (sentence: string) => this.cover.showProgress(sentence),
      say: (sentence: string) => this.notice.say(sentence),
      failed: (sentence: string) => this.cover.showError(sentence),
    };
    const view = new BroadcastView(this.app, address, page, isStill);
    this.boards.element.append(view.banner);
    this.timeline.element.before(view.bar);
  }

  private layOut(): void {
    const corner = el(
      "div",
      { class: "corner" },
      button("Show the whole map (Z)", ICONS.fit, () => this.navigation.fit()),
      this.layerMenu.element,
    );
    this.boards.element.append(this.hud.element, corner, this.cover.element);
    replace(
      this.root,
      this.header.element,
      el("main", { class: "middle" }, this.boards.element, this.side.element),
      this.timeline.element,
      this.notice.element,
      this.help,
    );
    closeMenusOnOutsideClick(this.root);
  }

  private async showLines(left: Episode, right: Episode | null): Promise<void> {
    this.cover.hide();
    if (await this.boards.showLines(left, right)) this.describe(left);
  }

  private describe(episode: Episode): void {
    this.header.describe(episode, this.live?.game ?? (this.app.live ? { title: "" } : null));
  }

  private closeBeside(): void {
    if (this.live) this.live.game.closeBranch();
    else this.boards.closeBeside();
  }

  /** Close open menus and dialogs; return whether there were any. */
  private closeAll(): boolean {
    const hadMenus = closeMenus(this.root);
    if (!this.help.open) return hadMenus;
    this.help.close();
    return true;
  }
}
