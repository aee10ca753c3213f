/**
 * Return the address of a page's socket. `address` in the query is the complete one, for pages behind a proxy; else it is
 * the page's own with /client/NAME or /clients/NAME replaced by /SOCKET, with its query.
 */
export function socketAddress(page: string, socket: string): string {
  const url = new URL(page);
  const given = url.searchParams.get("address");
  const target = given ? new URL(given, page) : url;
  target.protocol = { "http:": "ws:", "https:": "wss:" }[target.protocol] ?? target.protocol;
  target.hash = "";
  if (!given) target.pathname = `${folderOf(target.pathname)}${socket}`;
  return target.href;
}

/** Return whether the page comes from the root of its server, not from below a prefix of a proxy. */
export function isAtRoot(page: string): boolean {
  return folderOf(new URL(page).pathname) === "/";
}

function folderOf(path: string): string {
  return path.replace(/clients?\/[^/]*$/, "");
}
