// The workbench's page: asks for one document every second and draws it.

import { interval, scores } from "/drawing.js";

const token = location.hash.slice(1);
const headers = { "X-Coworld-Token": token };
const byId = (id) => document.getElementById(id);
const STATUS = {
  new: "Starting",
  running: "Running",
  finished: "Finished",
  failed: "Failed",
  stopped: "Stopped",
  interrupted: "Interrupted",
};
const NUMBERS = ["iterations", "pairs", "workers", "seed"];
let selected = null;
let view = null;
let shownManifest = null;
let drawn = "";

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function say(text) {
  byId("message").textContent = text ?? "";
  byId("message").hidden = !text;
}

async function act(name, body) {
  say(null);
  let answer;
  try {
    const request = { method: "POST", headers: { ...headers, "Content-Type": "application/json" } };
    answer = await (await fetch(`/api/${name}`, { ...request, body: JSON.stringify(body) })).json();
  } catch {
    return say("The command that serves this page has ended. Start `coworld optimize` again.");
  }
  if (answer.error) say(answer.hint ? `${answer.error}. ${sentence(answer.hint)}` : answer.error);
  await refresh();
  return answer.error ? undefined : answer.result;
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

async function refresh() {
  const query = selected ? `?run=${encodeURIComponent(selected)}` : "";
  let answer;
  try {
    answer = await fetch(`/api/view${query}`, { headers });
  } catch {
    setStatus(view?.watching ? "Ended" : "Offline");
    say("The command that serves this page has ended. The state folder holds the results.");
    return false;
  }
  const document_ = await answer.json();
  if (!answer.ok) {
    setStatus("Refused", "bad");
    say(`${document_.error}. ${sentence(document_.hint ?? "")}`);
    return false;
  }
  view = document_;
  const text = JSON.stringify(view);
  if (text !== drawn) draw();
  drawn = text;
  return true;
}

function setStatus(text, kind) {
  byId("status").textContent = text;
  byId("status").className = `pill ${kind ?? ""}`;
}

function draw() {
  const { world, run } = view;
  byId("world").textContent = world ? `${world.name} ${world.version}` : "";
  document.title = world ? `Optimize ${world.name}` : "Optimize";
  const kind = { finished: "good", failed: "bad", interrupted: "bad" }[run?.status];
  setStatus(run ? STATUS[run.status] : world ? "Ready" : "No manifest", kind);
  byId("setup").hidden = view.watching;
  byId("choices").hidden = !world;
  byId("manifest-help").hidden = Boolean(world);
  if (world && shownManifest !== view.manifest) fillChoices();
  for (const id of ["start", "manifest"]) byId(id).disabled = view.busy;
  byId("stop").hidden = !view.busy;
  byId("empty").hidden = Boolean(run) || !world;
  byId("overview").hidden = !run;
  if (run) drawRun(run);
  else byId("history").replaceChildren();
}

function fillChoices() {
  const { world } = view;
  const defaults = view.settings ?? view.defaults;
  shownManifest = view.manifest;
  byId("manifest").value = view.manifest;
  byId("player_folder").value = defaults.player_folder;
  for (const id of NUMBERS) byId(id).value = defaults[id];
  byId("player").replaceChildren(
    ...world.players.map((player) => element("option", { value: player.id }, `${player.name} (${player.id})`)),
  );
  if (defaults.player) byId("player").value = defaults.player;
  for (const [id, entries] of [
    ["variants", world.variants],
    ["opponents", world.players],
  ]) {
    const boxes = entries.map((entry) => {
      const box = element("input", { type: "checkbox", value: entry.id });
      box.checked = defaults[id].includes(entry.id);
      return element("label", {}, box, ` ${entry.name}`);
    });
    const otherwise = id === "variants" ? "None: the certification fixture" : "None: the fixture's other players";
    byId(id).replaceChildren(...boxes, element("span", { class: "quiet" }, otherwise));
  }
  const listed = (role) => world.roles[role].join(", ") || `default ${role}`;
  const proposer = view.proposer ?? `optimizer ${world.roles.optimizer[0] ?? "default-optimizer"}`;
  const advice = world.advises && !view.proposer ? ", which gives advice and changes nothing (see --improve)" : "";
  byId("roles").textContent =
    `Changes come from: ${proposer}${advice}. Episodes are analyzed by: ` +
    `${["reporter", "grader", "diagnoser"].map(listed).join("; ")}.`;
}

function drawRun(run) {
  const choices = view.runs.map((name, index) => element("option", { value: name }, `${view.runs.length - index}`));
  byId("runs").replaceChildren(...choices);
  byId("runs").value = view.name;
  byId("runs-label").hidden = view.runs.length < 2;
  const decided = run.iterations.filter((row) => row.decided);
  const kept = decided.filter((row) => row.kept).length;
  byId("phase").textContent = run.phase
    ? `Iteration ${run.phase.iteration + 1} of ${run.planned}: ${run.phase.text}`
    : (run.reason ?? `${STATUS[run.status]}: ${decided.length} of ${run.planned} iterations`);
  byId("phase").className = run.status === "failed" ? "bad" : "";
  byId("progress").value = run.phase ? run.phase.share : decided.length / Math.max(1, run.planned);
  const facts = [
    ["Kept", `${kept} of ${decided.length} changes`],
    ["Player", view.settings?.player_folder],
    ["Variants", run.variants?.join(", ")],
    ["Opponents", run.opponents?.join(", ")],
    ["Best version", run.best_folder],
  ].filter((fact) => fact[1]);
  byId("facts").replaceChildren(...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
  byId("write").hidden = view.busy || kept === 0;
  const open = new Set([...document.querySelectorAll("details[open]")].map((details) => details.dataset.key));
  byId("history").replaceChildren(...[...run.iterations].reverse().map((row) => iteration(row, open)));
}

function iteration(row, open) {
  const word = row.decided ? (row.kept ? "Kept" : "Rejected") : "In progress";
  const kind = row.decided ? (row.kept ? "good" : "bad") : "";
  const heading = element(
    "div",
    { class: "row spread" },
    element("strong", {}, `Iteration ${row.iteration + 1}`),
    element("span", { class: `pill ${kind}` }, word),
  );
  return element(
    "li",
    {},
    heading,
    row.note ? element("p", {}, row.note) : null,
    row.reason ? element("p", { class: "quiet" }, row.reason) : null,
    row.low === null || row.low === undefined ? null : interval(row),
    scores(row),
    ...row.findings.filter((one) => one.role === "bundle").map((one) => episode(row, one, open)),
    row.plan ? output(row, { role: "optimizer", id: "plan", file: row.plan }, open) : null,
  );
}

function episode(row, bundle, open) {
  const found = row.findings.filter((one) => one.episode === bundle.episode && one.role !== "bundle");
  const grades = found.filter((one) => one.score !== null).map((one) => `grade ${one.score}`);
  const title = [`Episode with the ${["lowest", "second lowest"][bundle.episode]} score: ${bundle.score ?? "?"}`, bundle.id];
  const details = element("details", {}, element("summary", {}, [...title, ...grades].join(", ")));
  remember(details, `${row.iteration}/${bundle.file}`, open);
  if (bundle.error) details.append(element("p", { class: "bad" }, bundle.error));
  else {
    const watch = element("button", { type: "button" }, "Watch the replay");
    watch.addEventListener("click", () => watchReplay(watch, row, bundle));
    const link = element("a", { href: address("download", row, bundle.file) }, "Download the bundle");
    details.append(element("p", { class: "row" }, watch, link));
  }
  details.append(...found.map((one) => output(row, one, open)));
  return details;
}

function output(row, found, open) {
  const title = `${found.role} ${found.id}`;
  if (found.error) return element("p", { class: "bad" }, `${title}: ${found.error}`);
  const details = element("details", {}, element("summary", {}, title));
  details.addEventListener("toggle", () => fill(details, row, found), { once: true });
  remember(details, `${row.iteration}/${found.file}`, open);
  return details;
}

function remember(details, key, open) {
  details.dataset.key = key;
  details.open = open.has(key);
}

const address = (kind, row, file) =>
  `/${kind}/${view.name}/${row.iteration}/${file}?token=${encodeURIComponent(token)}`;

async function fill(details, row, found) {
  const where = address("show", row, found.file);
  const answer = await fetch(where, { headers });
  if (answer.headers.get("Content-Type")?.startsWith("text/html"))
    details.append(element("iframe", { src: where, sandbox: "", title: `${found.role} ${found.id}` }));
  else details.append(element("pre", {}, await answer.text()));
}

async function watchReplay(button, row, bundle) {
  button.disabled = true;
  const link = await act("watch", { run: view.name, iteration: row.iteration, file: bundle.file });
  button.disabled = false;
  if (!link) return;
  byId("replay").replaceChildren(element("a", { href: link, target: "_blank", rel: "noopener" }, "Open the replay"));
  byId("replay").hidden = false;
}

byId("open").addEventListener("submit", (event) => {
  event.preventDefault();
  act("open", { manifest: byId("manifest").value });
});
byId("choices").addEventListener("submit", async (event) => {
  event.preventDefault();
  const ticked = (id) => [...byId(id).querySelectorAll("input:checked")].map((box) => box.value);
  const body = { player_folder: byId("player_folder").value, player: byId("player").value };
  for (const id of ["variants", "opponents"]) body[id] = ticked(id);
  for (const id of NUMBERS) body[id] = byId(id).valueAsNumber;
  selected = (await act("start", body)) ?? selected;
  await refresh();
});
byId("stop").addEventListener("click", async () => {
  byId("stop").disabled = true;
  await act("stop", {});
  byId("stop").disabled = false;
});
byId("write").addEventListener("click", async () => {
  if (!confirm(`Copy the best version into ${view.settings.player_folder}?`)) return;
  const folder = await act("write", { run: view.name });
  if (folder) byId("write").textContent = `Copied into ${folder}`;
});
byId("runs").addEventListener("change", () => {
  selected = byId("runs").value;
  refresh();
});

async function poll() {
  await refresh();
  setTimeout(poll, 1000);
}
poll();
