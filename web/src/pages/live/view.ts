import type { Episode } from "../../decode";
import { el, setText } from "../../ui/dom";
import type { App } from "../app";
import { LiveBar } from "./bar";
import type { Door } from "./door";
import { LiveGame } from "./game";
import { listenToLiveKeys } from "./keys";
import { LessonCard, TutorialOverlay } from "./lesson";
import { Pad } from "./pad";
import { GoalCard, ReadyCard } from "./ready";

/** The page's services for a live game. */
export interface LivePage {
  showLines(episode: Episode, beside: Episode | null): void;
  say(sentence: string, link?: string): void;
  failed(sentence: string): void;
  /** follow the selected object */
  watchSelection(): void;
}

/** The parts of the page that exist only in live games. */
export class LiveView {
  readonly game: LiveGame;
  readonly bar: LiveBar;
  /** shown above the board */
  readonly layers: readonly HTMLElement[];
  private readonly banner = el("p", { class: "live-banner", attrs: { role: "alert", "data-testid": "banner" } });
  private readonly lesson = new LessonCard();
  private readonly overlay: TutorialOverlay;
  private readonly pad: Pad;
  private readonly ready: ReadyCard;
  private readonly goal: GoalCard;

  constructor(
    private readonly app: App,
    door: Door,
    page: LivePage,
  ) {
    app.token = door.token;
    this.game = new LiveGame(app, door, {
      show: (episode, beside) => page.showLines(episode, beside),
      say: (sentence, link) => page.say(sentence, link),
      failed: (sentence) => page.failed(sentence),
      drives: () => {
        page.watchSelection();
        // On a phone the board and the keys need the room.
        if (globalThis.matchMedia?.("(max-width: 760px)").matches) app.openPanel("");
      },
    });
    app.live = this.game;
    this.bar = new LiveBar(app, this.game, (sentence, link) => page.say(sentence, link));
    this.overlay = new TutorialOverlay(app, this.game);
    this.pad = new Pad(this.game, () => app.isAtEdge || app.goLive());
    this.ready = new ReadyCard(app, this.game);
    this.goal = new GoalCard(this.game);
    this.layers = [
      this.banner,
      this.lesson.element,
      this.overlay.element,
      this.goal.element,
      this.ready.element,
      this.pad.element,
    ];
    this.banner.hidden = this.lesson.element.hidden = this.pad.element.hidden = true;
    listenToLiveKeys({ app, game: this.game, bar: this.bar, overlay: this.overlay });
  }

  update(): void {
    const { game } = this;
    this.bar.update();
    this.banner.hidden = game.lostFor === null;
    if (game.lostFor !== null) setText(this.banner, "The connection to the game is lost; reconnecting");
    this.lesson.update(game.lesson);
    this.lesson.element.parentElement?.classList.toggle("has-lesson", game.lesson !== null);
    this.overlay.update();
    this.ready.update();
    this.goal.update();
    this.pad.element.hidden = game.driven < 0;
    this.pad.element.parentElement?.classList.toggle("is-driving", game.driven >= 0);
  }

  /** Handle a click on a cell of the played line; return whether the driven cog goes there. A paused game resumes. */
  order(x: number, y: number, event: PointerEvent): boolean {
    const { driver, state } = this.game;
    if (!driver || event.altKey) return false;
    if (!this.app.isAtEdge) this.app.goLive();
    if (state?.isPaused && this.game.isHost) this.game.play(true);
    driver.order(x, y, event.shiftKey ? "queue" : event.ctrlKey || event.metaKey ? "repeat" : "go");
    return true;
  }
}
