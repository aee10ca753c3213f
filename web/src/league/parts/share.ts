import { el } from "../../ui/dom";
import type { Site } from "../view";
import { act, Part } from "./bits";

/** The address of this page, to be given to others. */
export function sharePart(site: Site, sentence: string): Part {
  const part = new Part("Invite others");
  const copy = act("Copy the link", () => {
    void navigator.clipboard?.writeText(location.href);
    site.say("The link is in the clipboard");
  });
  part.body.append(el("p", {}, sentence), el("p", { class: "command" }, el("code", {}, location.href), copy));
  return part;
}
