import { button, el, onClick, renew, setText } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App } from "../app";
import { formatNumber } from "../format";
import type { LiveGame } from "./game";
import { VibePicker } from "./vibes";

/** The bar between the board and the timeline: game status, drivers and actions of a live game. */
export class LiveBar {
  readonly element: HTMLElement;
  private readonly liveButton = el("button", {
    class: "live-button",
    attrs: { type: "button", "data-testid": "live" },
  });
  private readonly status = el("span", {
    class: "live-status",
    attrs: { role: "status", "data-testid": "live-status" },
  });
  private readonly drivers = el("span", {
    class: "chips live-drivers",
    attrs: { role: "group", "aria-label": "Drivers" },
  });
  private readonly linePicker = el("select", {
    class: "speed",
    attrs: { "aria-label": "Branch", "data-testid": "lines" },
  });
  private readonly driveButton: HTMLButtonElement;
  private readonly backButton: HTMLButtonElement;
  private readonly branchButton: HTMLButtonElement;
  private readonly closeButton: HTMLButtonElement;
  private readonly repeatButton: HTMLButtonElement;
  private readonly waitBox = el("input", { attrs: { type: "checkbox", "data-testid": "wait" } });
  private readonly waitLabel = el(
    "label",
    { class: "live-wait", title: "The game waits for your action" },
    this.waitBox,
    "Wait for me",
  );
  /** the user's choice, until the game confirms it */
  private wantsWait: boolean | null = null;
  private readonly invite = this.inviteMenu();
  private readonly vibes: VibePicker;
  private readonly talkButton: HTMLButtonElement;
  private readonly talkField = el("input", {
    class: "field",
    attrs: { type: "text", "aria-label": "Say something", "data-testid": "talk-field" },
  });
  private readonly talkNote = el("span", { class: "quiet talk-note" });
  private readonly talkForm = el(
    "form",
    { class: "talk-form", attrs: { "data-testid": "talk-form" } },
    this.talkField,
    this.talkNote,
  );

  constructor(
    private readonly app: App,
    private readonly game: LiveGame,
    private readonly say: (sentence: string, link?: string) => void,
  ) {
    onClick(this.liveButton, () => this.app.goLive());
    this.driveButton = button("Drive the selected cog (Shift D)", ICONS.drive, () => this.driveSelected(), "Drive");
    this.driveButton.dataset.testid = "drive";
    this.backButton = button(
      "Hand the cog back to its policy (H)",
      ICONS.release,
      () => this.game.handBack(),
      "Hand back",
    );
    this.backButton.dataset.testid = "hand-back";
    this.branchButton = button(
      "Branch the game at this tick (Shift W)",
      ICONS.branch,
      () => this.branch(),
      "What if from here",
    );
    this.branchButton.dataset.testid = "branch";
    this.closeButton = button("Close this branch", ICONS.close, () => this.game.closeBranch(), "Close the branch");
    this.closeButton.dataset.testid = "close-branch";
    this.repeatButton = button("Play this game again", ICONS.again, () => void this.game.repeat(), "Play again");
    this.repeatButton.dataset.testid = "play-again";
    this.vibes = new VibePicker(app, game);
    this.talkButton = button("Say something (Enter)", ICONS.talk, () => this.openTalk(), "Talk");
    this.talkButton.dataset.testid = "talk";
    this.waitBox.addEventListener("change", () => {
      this.wantsWait = this.waitBox.checked;
      setTimeout(() => (this.wantsWait = null), 2000);
      this.game.waitForPeople(this.waitBox.checked);
    });
    this.linePicker.addEventListener("change", () => {
      this.game.showLine(Number(this.linePicker.value));
      this.linePicker.blur(); // return the arrow keys to driving
    });
    this.talkForm.addEventListener("submit", (event) => {
      event.preventDefault();
      this.talk();
    });
    this.talkField.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.closeTalk();
    });
    this.talkField.addEventListener("input", () => this.updateTalk());
    this.talkForm.hidden = true;
    this.element = el(
      "section",
      { class: "live-bar", attrs: { "aria-label": "Live game" } },
      el("div", { class: "live-group" }, this.liveButton, this.status, this.drivers),
      el(
        "div",
        { class: "live-group" },
        this.talkForm,
        this.vibes.element,
        this.talkButton,
        this.driveButton,
        this.backButton,
        this.waitLabel,
      ),
      el(
        "div",
        { class: "live-group" },
        this.repeatButton,
        this.linePicker,
        this.branchButton,
        this.closeButton,
        this.invite,
      ),
    );
  }

  update(): void {
    const { app, game } = this;
    const isDriving = game.driven >= 0;
    const behind = Math.max(0, app.lastTick - Math.floor(app.time));
    this.liveButton.classList.toggle("is-live", app.isAtEdge && !game.isOver);
    setText(this.liveButton, game.isOver ? "Over" : app.isAtEdge ? "Live" : `Go live (${behind} behind)`);
    this.liveButton.title = "To the newest tick (End)";
    setText(this.status, this.statusText());
    renew(this.drivers, ...this.driverChips());
    this.driveButton.hidden = isDriving || game.isOver || !game.mayDrive;
    this.backButton.hidden = this.talkButton.hidden = this.vibes.element.hidden = !isDriving;
    this.talkButton.hidden ||= game.talkLimits === null;
    if (!isDriving) {
      this.vibes.close();
      this.closeTalk();
    }
    this.waitLabel.hidden = !isDriving || !game.isHost;
    if (this.wantsWait === game.waitsForPeople) this.wantsWait = null;
    this.waitBox.checked = this.wantsWait ?? game.waitsForPeople;
    this.branchButton.hidden = !game.isHost || game.hello?.canBranch !== true;
    this.branchButton.disabled = game.isBranching;
    this.repeatButton.hidden = !game.canRepeat;
    this.closeButton.hidden = !game.isHost || game.line === 0;
    this.invite.hidden = !game.isHost || game.isOver || game.door.page !== null;
    this.updateLines();
    this.updateTalk();
  }

  driveSelected(): void {
    const { left } = this.app;
    const number = left ? this.app.selectedNumber(left) : -1;
    const agent = number < 0 ? -1 : left!.replay.parts.agentOf[number];
    const own = this.game.hello?.slot ?? null;
    if (agent < 0 && own === null) return this.say("Click a cog first, then drive it");
    const target = agent < 0 ? own! : agent;
    if (!this.game.canDrive(target))
      return this.say(own === null ? "This link is for watching only" : `This link is for driving agent ${own}`);
    const other = this.game.driverOf(target);
    this.game.drive(target, other !== null && this.game.isHost);
  }

  branch(): void {
    if (!this.game.isHost) return this.say("Only the host of the game can do this");
    void this.game.branch(this.app.tick);
  }

  openVibes(): void {
    this.vibes.toggle();
  }

  openTalk(): void {
    if (!this.game.talkLimits) return this.say("This game has no talk");
    this.talkForm.hidden = false;
    this.updateTalk();
    this.talkField.focus();
  }

  private closeTalk(): void {
    if (this.talkForm.hidden) return;
    this.talkForm.hidden = true;
    this.talkField.value = "";
    this.talkField.blur();
  }

  private talk(): void {
    const text = this.talkField.value.trim();
    const { silence } = this.game;
    if (text && silence) return this.say(`You can speak again in ${silence} steps`);
    if (text) this.game.driver?.talk(text);
    this.closeTalk();
  }

  private updateTalk(): void {
    const limits = this.game.talkLimits;
    if (this.talkForm.hidden || !limits) return;
    this.talkField.maxLength = limits[0];
    const { silence } = this.game;
    setText(this.talkNote, silence ? `in ${silence} steps` : `${limits[0] - this.talkField.value.length} left`);
  }

  private statusText(): string {
    const { game } = this;
    const { state } = game;
    if (game.lostFor !== null) return "Not connected";
    if (!state) return "";
    if (game.isBranching) return "Creating a branch";
    if (game.isOver) return `The game is over after ${state.step} steps`;
    if (state.isPaused) return "Paused";
    if (state.waitingFor.length) {
      const names = state.waitingFor.map((agent) => (agent === game.driven ? "you" : `agent ${agent}`));
      return `Waiting for ${names.join(", ")}`;
    }
    return `${formatNumber(Number(state.rate.toFixed(state.rate < 10 ? 1 : 0)))} steps/s`;
  }

  private driverChips(): HTMLElement[] {
    const { game } = this;
    const seats = game.state?.seats ?? [];
    const driven = seats.flatMap((_, agent) => (game.driverOf(agent) ? [agent] : []));
    if (game.driven >= 0 && !driven.includes(game.driven)) driven.push(game.driven);
    return driven.map((agent) => {
      const name = game.driverOf(agent)!;
      const chip = el(
        "button",
        { class: "chip", attrs: { type: "button", "data-driver": name, "data-agent": agent } },
        `Agent ${agent}: ${name}`,
      );
      onClick(chip, () => {
        const { left } = this.app;
        const number = left?.replay.agentObjects[agent] ?? -1;
        if (number >= 0) this.app.select(left!.replay.parts.ids[number]);
      });
      return chip;
    });
  }

  private updateLines(): void {
    const { game } = this;
    this.linePicker.hidden = game.allLines.length < 2;
    const names = game.allLines.map(
      ({ line, tick }) => [line, line ? `Branch ${line} from tick ${tick}` : "The game"] as const,
    );
    const now = names.map(([line, name]) => `${line}:${name}`).join();
    if (this.linePicker.dataset.lines !== now) {
      this.linePicker.dataset.lines = now;
      this.linePicker.replaceChildren(...names.map(([line, name]) => el("option", { attrs: { value: line } }, name)));
    }
    this.linePicker.value = String(game.line);
  }

  private inviteMenu(): HTMLDetailsElement {
    const menu = el("details", { class: "menu invite" });
    const entry = (name: string, rights: "player" | "watch", slot: () => number | null) => {
      const item = el("button", { class: "menu-entry", attrs: { type: "button", "data-invite": name } }, name);
      item.addEventListener("click", () => {
        menu.open = false;
        void this.showInvitation(rights, slot());
      });
      return item;
    };
    menu.append(
      el("summary", { class: "button", title: "Invite with a link", attrs: { "aria-label": "Invite" } }, "Invite"),
      el(
        "div",
        { class: "menu-body" },
        entry("Link for driving any cog", "player", () => null),
        entry("Link for driving the selected cog", "player", () => this.selectedAgent()),
        entry("Link for watching", "watch", () => null),
      ),
    );
    return menu;
  }

  private selectedAgent(): number | null {
    const { left } = this.app;
    const number = left ? this.app.selectedNumber(left) : -1;
    const agent = number < 0 ? -1 : left!.replay.parts.agentOf[number];
    return agent < 0 ? null : agent;
  }

  private async showInvitation(rights: "player" | "watch", slot: number | null): Promise<void> {
    try {
      const link = await this.game.invite(rights, slot);
      const what = rights === "watch" ? "watch" : slot === null ? "drive any cog" : `drive agent ${slot}`;
      this.say(`This link lets its holder ${what}:`, link);
    } catch (error) {
      this.say((error as Error).message);
    }
  }
}
