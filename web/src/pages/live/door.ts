export type SocketName = "global" | "player" | "admin" | "replay";

/** Where the sockets of a game are, and what lets this page in. */
export interface Door {
  /** what the page keeps behind its `#`; "" where its address says everything */
  readonly token: string;
  /** which page of a Coworld this is; null for other live games */
  readonly page: SocketName | null;
  address(socket: SocketName, parameters?: Record<string, string | number>): URL;
}

/** A game that serves this page itself, to whoever has a link with a token. */
export function ownDoor(token: string): Door {
  return {
    token,
    page: null,
    address(socket, parameters = {}) {
      const address = new URL(socket, document.baseURI);
      address.hash = address.search = "";
      for (const [name, value] of Object.entries({ token, ...parameters }))
        address.searchParams.set(name, String(value));
      return address;
    },
  };
}

/**
 * A page of a Coworld, by its address; null for any other. The socket is where the page is, without `/client`, and keeps
 * the whole query; or it is what `address` in the query says, as it stands. The other sockets are beside it.
 */
export function coworldDoor(href: string): Door | null {
  const place = new URL(href);
  const found = /\/clients?\/(global|player|admin|replay)\/?$/.exec(place.pathname);
  if (!found) return null;
  const page = found[1] as SocketName;
  let own = new URL(place);
  own.pathname = `${place.pathname.slice(0, found.index)}/${page}`;
  own.hash = "";
  const given = place.searchParams.get("address");
  if (given !== null) {
    try {
      own = new URL(given.replace(/^ws/, "http"), place);
      own.hash = "";
    } catch {
      return null;
    }
  }
  return {
    token: "",
    page,
    address(socket) {
      const address = new URL(own);
      if (socket === page) return address;
      address.pathname = own.pathname.replace(new RegExp(`/${page}/?$`), `/${socket}`);
      if (page === "admin") address.searchParams.set("rights", "host");
      return address;
    },
  };
}
