import { type Episode, ReplayError } from "../../decode";
import type { App } from "../app";
import { chooseFile } from "../files";
import { loadAddress, loadFile, type Progress } from "../load";
import type { Boards } from "./boards";
import type { Cover } from "./cover";
import type { Drop } from "./drops";
import type { Notice } from "./notice";

interface Parts {
  readonly app: App;
  readonly boards: Boards;
  readonly cover: Cover;
  readonly notice: Notice;
  /** called when a replay is shown alone */
  opened(episode: Episode): void;
}

/** Opens replays from files, addresses and drops, alone or beside the open one. */
export class Replays {
  constructor(private readonly parts: Parts) {}

  /** Show the loaded replay, or the error message. Never throws. */
  async open(load: (progress: Progress) => Promise<Episode>, address: string, isBeside = false): Promise<boolean> {
    const { app, boards, cover, opened } = this.parts;
    try {
      const episode = await load((what, part) => cover.showProgress(`${what} the replay`, part));
      if (isBeside && app.left) await boards.showBeside(episode, address);
      else {
        boards.show(episode, address);
        opened(episode);
      }
      cover.hide();
      return true;
    } catch (error) {
      const message = error instanceof ReplayError ? error.message : "The replay could not be shown";
      if (!(error instanceof ReplayError)) console.warn(error);
      cover.showError(message);
      return false;
    }
  }

  openAddress(address: string, isBeside = false): Promise<boolean> {
    return this.open((progress) => loadAddress(address, progress), address, isBeside);
  }

  /** Ask for a file and open it. */
  openFile(): void {
    const { app, notice } = this.parts;
    if (app.live) return notice.say("This page shows a live game; open replays with `python -m mettagrid.viewer`");
    void this.choose(false);
  }

  /** Ask for a file and open it beside the current replay. */
  openBeside(): void {
    const { app, notice } = this.parts;
    if (app.live) return notice.say("Compare a live game with a branch of it: use “What if from here”");
    void this.choose(true);
  }

  /** Open a dropped link or file, or two files side by side. With Shift, open a file beside the current replay. */
  async openDropped({ files, address, hasShift }: Drop): Promise<void> {
    const { app } = this.parts;
    if (app.live) return this.openFile();
    if (files.length) await this.openLocal(files[0], hasShift);
    else if (address) await this.openAddress(address);
    if (files[1] && app.left) await this.openLocal(files[1], true);
  }

  private async choose(isBeside: boolean): Promise<void> {
    const file = await chooseFile();
    if (file) await this.openLocal(file, isBeside);
  }

  private openLocal(file: File, isBeside: boolean): Promise<boolean> {
    return this.open((progress) => loadFile(file, progress), "", isBeside);
  }
}
