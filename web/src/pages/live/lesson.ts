import { infosAt, isObject, type Json } from "../../decode";
import { el, onClick, renew } from "../../ui/dom";
import type { App } from "../app";
import type { LiveGame } from "./game";
import type { Lesson } from "./messages";

/** The goal of a lesson, above the board. */
export class LessonCard {
  readonly element = el("section", {
    class: "lesson",
    attrs: { "aria-label": "Lesson", "aria-live": "polite", "data-testid": "lesson" },
  });
  private shown: Lesson | null = null;
  /** on small screens only the goal is shown at first */
  private isSmall = globalThis.matchMedia?.("(max-width: 760px)").matches ?? false;

  constructor() {
    // The board makes room where the box covers it.
    new ResizeObserver(() => {
      this.element.parentElement?.style.setProperty("--lesson", `${this.element.offsetHeight}px`);
    }).observe(this.element);
  }

  update(lesson: Lesson | null): void {
    if (lesson === this.shown) return;
    this.shown = lesson;
    this.element.hidden = !lesson;
    if (lesson) this.render(lesson);
  }

  private render(lesson: Lesson): void {
    const { goal } = lesson;
    const fold = el(
      "button",
      { class: "plain", attrs: { type: "button", "aria-expanded": String(!this.isSmall) } },
      this.isSmall ? "Show" : "Hide",
    );
    onClick(fold, () => {
      this.isSmall = !this.isSmall;
      this.render(this.shown!);
    });
    const head = el(
      "div",
      { class: "lesson-head" },
      el("span", { class: "quiet grow" }, [lesson.title, lesson.count].filter((part) => part).join(" · ")),
      fold,
    );
    const bar = el("progress", {
      attrs: { max: 1, value: lesson.isFinished ? 1 : lesson.progress, "aria-label": "Progress" },
    });
    const done = lesson.isFinished ? "Lesson finished" : lesson.isDone ? "Done" : "";
    const title = `${lesson.isDone || lesson.isFinished ? "✓ " : ""}${goal.title}`;
    renew(
      this.element,
      head,
      el(
        "h2",
        { attrs: { "data-testid": "goal" } },
        title,
        goal.count ? el("small", { class: "quiet" }, ` ${goal.count}`) : null,
      ),
      bar,
      lesson.note && !this.isSmall ? el("p", { class: "lesson-note" }, lesson.note) : null,
      this.isSmall ? null : el("p", { class: "lesson-text" }, goal.text),
      this.isSmall || !goal.keys ? null : el("p", { class: "quiet" }, goal.keys),
      this.isSmall || !goal.hint ? null : el("details", {}, el("summary", {}, "Hint"), el("p", {}, goal.hint)),
      done ? el("p", { class: "lesson-done", attrs: { "data-testid": "lesson-done" } }, done) : null,
    );
  }
}

/** A policy's instructions, shown one after the other; the first line of each is its title. */
export class TutorialOverlay {
  readonly element = el("section", {
    class: "overlay",
    attrs: { role: "dialog", "aria-label": "Tutorial", "data-testid": "overlay" },
  });
  private read = "";
  private shown = "";
  private at = 0;

  constructor(
    private readonly app: App,
    private readonly game: LiveGame,
  ) {
    this.element.hidden = true;
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  update(): void {
    const phases = this.phases();
    const key = JSON.stringify(phases);
    if (!phases.length || key === this.read) {
      this.element.hidden = true;
      return;
    }
    if (key === this.shown && this.isOpen) return;
    if (key !== this.shown) [this.shown, this.at] = [key, 0];
    this.render(phases);
  }

  next(): void {
    this.at++;
    const phases = this.phases();
    if (this.at < phases.length) return this.render(phases);
    this.read = this.shown;
    this.element.hidden = true;
  }

  private render(phases: readonly string[]): void {
    const [title, ...rest] = phases[this.at].split("\n");
    const next = el(
      "button",
      { class: "button framed", attrs: { type: "button", "data-testid": "overlay-next" } },
      this.at < phases.length - 1 ? "Next" : "Close",
    );
    next.addEventListener("click", () => this.next());
    this.element.replaceChildren(
      el("h2", {}, title),
      el("p", {}, rest.join("\n").trim()),
      el("div", { class: "fields" }, el("span", { class: "quiet grow" }, `${this.at + 1} of ${phases.length}`), next),
    );
    this.element.hidden = false;
  }

  /** Choose the driven agent, the selected one, or the first one with instructions. */
  private phases(): readonly string[] {
    const { left, tick } = this.app;
    if (!left) return [];
    const selected = this.app.selectedNumber(left);
    const own = [this.game.driven, selected < 0 ? -1 : left.replay.parts.agentOf[selected]].filter(
      (agent) => agent >= 0,
    );
    for (const agent of [...own, ...left.replay.parts.notes.keys()]) {
      const infos = infosAt(left.replay, agent, tick);
      const phases = isObject(infos) ? textsOf(infos.tutorial_overlay_phases) : [];
      if (phases.length) return phases;
    }
    return [];
  }
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value)
    ? value.filter((text): text is string => typeof text === "string" && text.trim() !== "")
    : [];
}
