import { el, icon, onClick, renew } from "../../ui/dom";
import type { GuestGame } from "../api-types";
import { to } from "../router";
import type { Site } from "../view";
import { ICONS, link, problem } from "./bits";
import { command } from "./commands";
import { startGame } from "./starting";

/** The name of the Coworld of lessons. */
const LESSONS = "lessons";
const LESSON_COMMAND = "cogames tutorial play";

/** The games that a visitor can play at once, and the first lesson; a failure is shown below them. */
export class PlayChoices {
  readonly element = el("div", { class: "play-choices", attrs: { "data-testid": "play-choices" } });
  private readonly list = el("div", { class: "actions" });
  private readonly lesson = el("div", { class: "first-lesson" });
  private readonly failure = el("div", { attrs: { role: "status" } });
  private isStarting = false;

  constructor(private readonly site: Site) {
    this.element.append(this.list, this.lesson, this.failure);
  }

  draw(games: readonly GuestGame[]): void {
    const [main, ...others] = games.filter(({ coworld_name }) => coworld_name !== LESSONS);
    const lesson = games.find(({ coworld_name }) => coworld_name === LESSONS);
    renew(
      this.list,
      main
        ? this.button(main, "Play in the browser", "solid")
        : el("a", { class: "button solid", attrs: { href: to.coworlds() } }, icon(ICONS.play), "Play a game"),
      uploadLink(this.site),
      ...others.map((game) => this.button(game, `Play ${game.title}`)),
    );
    renew(
      this.lesson,
      ...(lesson
        ? [el("p", {}, "New here? The first lesson takes two minutes."), this.button(lesson, "Start the first lesson")]
        : [el("p", {}, "New here? The first lesson takes two minutes:"), command(LESSON_COMMAND)]),
    );
  }

  private button(game: GuestGame, text: string, kind = ""): HTMLButtonElement {
    const control = el(
      "button",
      {
        class: `button bordered ${kind}`.trim(),
        title: [game.title, game.variant_name].filter((part) => part).join(", "),
        attrs: { type: "button", "data-game": game.game },
      },
      icon(ICONS.play),
      text,
    );
    onClick(control, () => void this.start(game));
    return control;
  }

  private async start(game: GuestGame): Promise<void> {
    if (this.isStarting) return;
    this.isStarting = true;
    renew(this.failure, el("p", { class: "quiet" }, `Starting ${game.title} …`));
    try {
      this.site.go(await startGame(this.site, game));
    } catch (error) {
      renew(this.failure, problem(error as Error));
    } finally {
      this.isStarting = false;
    }
  }
}

function uploadLink({ api }: Site): HTMLElement {
  const href = api.me?.signed_in ? to.upload() : to.signIn(to.upload());
  const control = link(href, icon(ICONS.upload), "Upload a policy");
  control.className = "button bordered";
  return control;
}
