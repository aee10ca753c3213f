// Where a page's websocket is. `address` in the query is the complete address (pages behind a proxy); otherwise it is
// the page's own with /client/NAME (or /clients/NAME) replaced by /NAME, the query kept and the hash dropped.
export function socketAddress(page, name) {
  const url = new URL(page);
  const given = url.searchParams.get("address");
  const target = given ? new URL(given, page) : url;
  target.protocol = { "http:": "ws:", "https:": "wss:" }[target.protocol] ?? target.protocol;
  target.hash = "";
  if (!given) target.pathname = target.pathname.replace(new RegExp(`/clients?/${name}$`), `/${name}`);
  return target.href;
}

// Messages of a websocket as objects; connects again by itself until `stop` is called.
export function listen(address, { onMessage, onStatus }) {
  let socket = null;
  let wait = 250;
  let stopped = false;
  const open = () => {
    socket = new WebSocket(address);
    socket.onopen = () => onStatus("connected");
    socket.onmessage = (event) => {
      wait = 250;
      onMessage(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (stopped) return;
      if (event.code === 4000) return onStatus("taken over");
      onStatus("connecting");
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 4000);
    };
  };
  onStatus("connecting");
  open();
  return {
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    stop(status) {
      stopped = true;
      socket.close();
      onStatus(status);
    },
  };
}
