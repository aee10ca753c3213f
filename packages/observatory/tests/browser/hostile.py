"""A hostile replay viewer: it tries what a page of a stranger must not be able to do, and shows what succeeded."""

# Each attack resolves to True if it succeeded. `results` is drawn into the page, where the test reads it.
PAGE = """<!doctype html>
<meta charset="utf-8">
<title>hostile</title>
<pre id="results">running</pre>
<script src="attacks.js"></script>
"""

SCRIPT = """
const attacks = {
  "read the cookie": () => document.cookie.includes("observatory"),
  "use the storage of the site": () => { localStorage.setItem("x", "1"); return true; },
  "open a database of the site": () => new Promise((done) => {
    const asked = indexedDB.open("x");
    asked.onsuccess = () => done(true);
    asked.onerror = () => done(false);
  }),
  "read the page around it": () => parent.document.title.length >= 0,
  "change the page around it": () => { parent.document.body.id = "broken"; return true; },
  "leave its frame": () => {
    if (top !== self) top.location.href = "/observatory/attacked";
    return false; // the test looks at the address of the page around it
  },
  "leave its frame by a link": () => {
    if (top === self) return false;
    const link = document.createElement("a");
    link.href = "/observatory/attacked";
    link.target = "_top";
    document.body.append(link);
    link.click();
    return false;
  },
  "open a window": () => window.open("/observatory/attacked") !== null,
  "send a form": () => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = "/sign-out";
    form.target = "_top";
    document.body.append(form);
    form.submit();
    return false;
  },
  "show a dialog": () => { const before = Date.now(); alert("x"); return Date.now() - before > 500; },
  "ask the API who is signed in": async () => {
    const answer = await fetch("/observatory/api/me", { credentials: "include" });
    return (await answer.json()).signed_in === true;
  },
  "read the API at all": async () => (await fetch("/v2/leagues")).ok,
  "read the CSRF token with an image": () => new Promise((done) => {
    const picture = new Image();
    picture.onload = () => done(true);
    picture.onerror = () => done(false);
    picture.src = "/observatory/assets/icon.svg";
  }),
  "run a script of the site": () => new Promise((done) => {
    const script = document.createElement("script");
    script.onload = () => done(true);
    script.onerror = () => done(false);
    script.src = "/observatory/assets/docs.js";
    document.body.append(script);
  }),
  "open a socket outside its folder": () => new Promise((done) => {
    const socket = new WebSocket(location.origin === "null" ? "ws://" + location.host + "/x" : "ws://x/");
    socket.onopen = () => done(true);
    socket.onerror = () => done(false);
  }),
  "reach another host": async () => (await fetch("http://127.0.0.1:9/", { mode: "no-cors" })).type === "opaque",
  "register a service worker": async () => {
    await navigator.serviceWorker.register("attacks.js");
    return true;
  },
  "show a page of the site in a frame": () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.src = "/observatory/me";
    frame.onload = () => {
      try {
        done(frame.contentDocument !== null && frame.contentDocument.body.textContent.length > 0);
      } catch {
        done(false);
      }
    };
    document.body.append(frame);
  }),
  "change the base of its addresses": async () => {
    const base = document.createElement("base");
    base.href = "/observatory/api/";
    document.head.append(base);
    const moved = document.baseURI.endsWith("/observatory/api/");
    base.remove();
    return moved;
  },
};

const withLimit = (attempt) => Promise.race([attempt, new Promise((done) => setTimeout(() => done(false), 3000))]);
(async () => {
  const results = {};
  for (const [name, attack] of Object.entries(attacks)) {
    try {
      results[name] = (await withLimit((async () => attack())())) === true;
    } catch {
      results[name] = false;
    }
  }
  document.getElementById("results").textContent = JSON.stringify({ origin: self.origin, results });
})();
"""

FILES = {"index.html": PAGE, "attacks.js": SCRIPT}
