import { el, renew } from "../ui/dom";
import { showTheme } from "../ui/theme";
import { Bar } from "./parts/bar";
import { Connection, fetchDocument } from "./parts/connection";
import { Notice } from "./parts/notice";
import "./style.css";
import { type Account, type GameInfo, readRewards, socketAddress } from "./wire";

/** The pages of rewards and of all numbers: a table that follows the reward protocol. */
function show(app: HTMLElement, game: GameInfo): void {
  const hasAll = document.body.dataset.page === "stats";
  const table = el("table", { attrs: { "data-testid": "scores" } });
  const empty = el("p", { class: "quiet" }, "No players are in the game");
  const bar = new Bar();
  const connection = new Connection(socketAddress(location.href, "reward"), {
    onMessage: (data) => {
      const accounts = typeof data === "string" ? readRewards(data) : [];
      empty.hidden = accounts.length > 0;
      table.hidden = accounts.length === 0;
      renew(table, ...rows(accounts, hasAll));
    },
    onStatus: (status) => {
      bar.show(status);
      notice.show(status);
    },
  });
  const notice = new Notice(() => connection.open());
  bar.name(game.title, hasAll ? "Stats" : "Rewards");
  app.className = "scores";
  table.hidden = true;
  app.replaceChildren(
    bar.element,
    el("main", { class: "sheet", attrs: { tabindex: 0, "aria-label": "Scores" } }, empty, table, notice.element),
  );
  connection.open();
}

function rows(accounts: readonly Account[], hasAll: boolean): HTMLElement[] {
  const reward = (account: Account) => account.numbers.get("reward") ?? 0;
  const sorted = [...accounts].sort((a, b) => reward(b) - reward(a));
  const names = [...new Set(sorted.flatMap((account) => [...account.numbers.keys()]))];
  const shown = hasAll ? names : ["reward"];
  const most = Math.max(...sorted.map(reward), 1);
  const head = el(
    "tr",
    {},
    el("th", { attrs: { scope: "col" } }, "Player"),
    ...shown.map((name) => el("th", { class: "number", attrs: { scope: "col" } }, title(name))),
    !hasAll && el("th", { attrs: { scope: "col" } }, el("span", { class: "unseen" }, "Share of the best")),
  );
  const row = (account: Account) =>
    el(
      "tr",
      {},
      el("th", { attrs: { scope: "row" } }, account.player),
      ...shown.map((name) => el("td", { class: "number" }, account.numbers.get(name) ?? "–")),
      !hasAll &&
        el(
          "td",
          { class: "share" },
          el("progress", {
            attrs: { max: most, value: Math.max(reward(account), 0), "aria-label": "Share of the best" },
          }),
        ),
    );
  return [el("thead", {}, head), el("tbody", {}, ...sorted.map(row))];
}

function title(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

async function main(): Promise<void> {
  showTheme();
  show(document.getElementById("app")!, await fetchDocument<GameInfo>("game.json"));
}

void main();
