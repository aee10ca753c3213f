import type { App } from "../app";
import { hashOf } from "../url";
import type { Notice } from "./notice";

/** Copy a link to the current view; show it if the browser has no clipboard. */
export function copyLink(app: App, notice: Notice): void {
  if (app.live) return notice.say("Only the host can create links to a live game, with “Invite”");
  const address = app.page ? pageLink(app) : `${location.href.split("#")[0]}${hashOf(app)}`;
  const isOwnFile = !app.address && !document.getElementById("replay-data");
  const hint = isOwnFile ? "; it stores the tick and the selection, but the file itself must be opened first" : "";
  const confirm = () => notice.say(`Link copied${hint}`);
  const show = () => notice.say("Copy this link:", address);
  if (navigator.clipboard) navigator.clipboard.writeText(address).then(confirm, show);
  else show();
}

/** Return the address of the page about this replay, at the current tick. */
function pageLink(app: App): string {
  return `${new URL(app.page, location.href)}?tick=${app.tick}`;
}
