import { el, renew } from "../../ui/dom";
import type { KindSetting, NoticeSettingsPage, NoticeSettingsUpdate } from "../api-types";
import { words } from "../format";
import type { Site } from "../view";
import { act, chip, name, Part, time } from "./bits";

const ABOUT: Record<string, string> = {
  match: "Matches of your policies ended",
  failure: "A policy of yours failed",
  promotion: "Promotions, relegations, champions and final tables",
  overtaken: "Another policy overtook yours",
  challenge: "Challenges to friendly matches",
};
const RULES: [string, string][] = [
  ["accept", "Accept all: they are played at once"],
  ["ask", "Ask me each time"],
  ["refuse", "Take no challenges"],
];
type Place = "page" | "email" | "webhook";

/** Which notices the user wants, where, and which challenges their policies accept. */
export class NoticeSettingsForm {
  readonly part = new Part("Settings");
  private readonly email = field("email", "notice-email", "you@example.com");
  private readonly webhook = field("url", "notice-webhook", "https://example.com/hook");
  private readonly rule = el("select", { class: "field", id: "challenge-rule" });
  private readonly kinds = el("div");
  private readonly emailNote = el("div");
  private readonly webhookNote = el("div");
  private readonly deliveries = el("div");
  private readonly boxes = new Map<string, HTMLInputElement>();

  constructor(private readonly site: Site) {
    this.rule.append(...RULES.map(([value, text]) => el("option", { attrs: { value } }, text)));
    this.rule.addEventListener("change", () => {
      void this.send({ challenges: this.rule.value as NoticeSettingsUpdate["challenges"] }, "Saved");
    });
    const form = (note: HTMLElement, label: string, input: HTMLInputElement, run: () => void) => {
      const body = el(
        "form",
        { class: "stack" },
        el(
          "div",
          {},
          el("label", { attrs: { for: input.id } }, label),
          el(
            "div",
            { class: "fields" },
            input,
            el("button", { class: "button bordered", attrs: { type: "submit" } }, "Save"),
          ),
        ),
        note,
      );
      body.addEventListener("submit", (event) => {
        event.preventDefault();
        run();
      });
      return body;
    };
    this.part.body.append(
      el("h3", {}, "Challenges"),
      el(
        "div",
        { class: "stack" },
        el("div", {}, el("label", { attrs: { for: "challenge-rule" } }, "Challenges to your policies"), this.rule),
      ),
      el("h3", {}, "What and where"),
      this.kinds,
      el("h3", {}, "E-mail"),
      form(this.emailNote, "Address for notices", this.email, () => {
        const email = this.email.value.trim() || null;
        void this.send({ email }, email ? "Open the link in the e-mail to confirm the address" : "No more e-mail");
      }),
      el("h3", {}, "Webhook"),
      form(this.webhookNote, "Address that gets each notice as JSON", this.webhook, () => {
        void this.send({ webhook_url: this.webhook.value.trim() || null }, "Saved");
      }),
      this.deliveries,
    );
  }

  draw(page: NoticeSettingsPage): void {
    if (document.activeElement !== this.rule) this.rule.value = page.challenges;
    if (document.activeElement !== this.email) this.email.value = page.email ?? "";
    if (document.activeElement !== this.webhook) this.webhook.value = page.webhook_url ?? "";
    this.email.disabled = !page.has_email;
    this.webhook.disabled = !page.has_webhooks;
    this.drawKinds(page);
    renew(
      this.emailNote,
      el(
        "p",
        { class: "small quiet" },
        !page.has_email
          ? "This server sends no e-mail."
          : !page.email
            ? "No address yet. It gets a message with a link that confirms it, and every notice has a link to unsubscribe."
            : page.email_confirmed
              ? "Confirmed."
              : "Not confirmed yet: open the link in the e-mail that was sent there.",
      ),
    );
    renew(this.webhookNote, ...this.webhookNotes(page));
    renew(this.deliveries, ...deliveryList(page));
  }

  private drawKinds(page: NoticeSettingsPage): void {
    if (this.boxes.size === 0) this.kinds.append(this.kindTable(page));
    for (const row of page.kinds)
      for (const place of ["page", "email", "webhook"] as const) {
        const box = this.boxes.get(`${row.kind} ${place}`);
        if (!box) continue;
        box.checked = row[place];
        box.disabled = place === "email" ? !page.has_email : place === "webhook" ? !page.has_webhooks : false;
      }
  }

  private kindTable(page: NoticeSettingsPage): HTMLElement {
    const cell = (row: KindSetting, place: Place, text: string) => {
      const box = el("input", {
        attrs: { type: "checkbox", "aria-label": `${ABOUT[row.kind] ?? words(row.kind)}: ${text}` },
      });
      box.addEventListener("change", () => void this.sendKind(row.kind));
      this.boxes.set(`${row.kind} ${place}`, box);
      return el("td", { class: "tick" }, box);
    };
    const head = (text: string, kind = "") => el("th", { class: kind, attrs: { scope: "col" } }, text);
    return el(
      "table",
      { class: "notice-kinds" },
      el("caption", { class: "unseen" }, "Where notices go"),
      el(
        "thead",
        {},
        el("tr", {}, head("Notice"), head("Page", "tick"), head("E-mail", "tick"), head("Webhook", "tick")),
      ),
      el(
        "tbody",
        {},
        ...page.kinds.map((row) =>
          el(
            "tr",
            {},
            el("td", {}, ABOUT[row.kind] ?? words(row.kind)),
            cell(row, "page", "on the page"),
            cell(row, "email", "by e-mail"),
            cell(row, "webhook", "to the webhook"),
          ),
        ),
      ),
    );
  }

  private webhookNotes(page: NoticeSettingsPage): HTMLElement[] {
    if (!page.has_webhooks) return [el("p", { class: "small quiet" }, "This server calls no webhooks.")];
    if (!page.webhook_secret || !page.webhook_url) return [];
    return [
      el(
        "p",
        { class: "small" },
        "The header ",
        el("code", {}, "X-League-Signature: t=…,v1=…"),
        " is the HMAC-SHA256 of the time, a dot and the body, with the secret ",
        el("code", { class: "secret" }, page.webhook_secret),
      ),
      el(
        "p",
        { class: "actions" },
        act(
          "Make a new secret",
          () => void this.send({ new_webhook_secret: true }, "The old secret is not used any more"),
        ),
      ),
    ];
  }

  private sendKind(kind: string): Promise<void> {
    const places = (["page", "email", "webhook"] as const).filter(
      (place) => this.boxes.get(`${kind} ${place}`)?.checked,
    );
    return this.send({ kinds: { [kind]: places } as NoticeSettingsUpdate["kinds"] }, "Saved");
  }

  private async send(change: Partial<NoticeSettingsUpdate>, done: string): Promise<void> {
    try {
      this.draw(await this.site.api.put("/observatory/api/notices/settings", {}, change as NoticeSettingsUpdate));
      this.site.say(done);
    } catch (error) {
      this.site.say((error as Error).message);
    }
  }
}

function field(type: string, id: string, placeholder: string): HTMLInputElement {
  return el("input", { class: "field", id, attrs: { type, placeholder, autocomplete: "off", maxlength: 1000 } });
}

function deliveryList(page: NoticeSettingsPage): (HTMLElement | null)[] {
  if (page.deliveries.length === 0) return [];
  return [
    el("h3", {}, "Last deliveries"),
    el(
      "ul",
      { class: "plain-list" },
      ...page.deliveries.map((row) =>
        el(
          "li",
          {},
          chip(row.status === "sent" ? "completed" : row.status === "failed" ? "failed" : "plain", words(row.status)),
          el("span", { class: "small" }, row.channel === "email" ? "e-mail: " : "webhook: ", name(row.title)),
          row.error ? el("span", { class: "small bad" }, name(row.error)) : null,
          el("span", { class: "quiet small" }, time(row.at)),
        ),
      ),
    ),
  ];
}
