export type SocketName = "global" | "player" | "admin" | "replay";

/** The addresses of a game's sockets, and this page's token. */
export interface Door {
  /** the token in the fragment; "" if the address contains everything */
  readonly token: string;
  /** the kind of Coworld page; null for other live games */
  readonly page: SocketName | null;
  address(socket: SocketName, parameters?: Record<string, string | number>): URL;
}

/** A game that serves this page to holders of a link with a token. */
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
 * Return the sockets of a Coworld page from its address; null for other pages. The socket has the page's address
 * without `/client`, with the whole query; or it is the parameter `address` of the query, unchanged. The other sockets
 * are beside it.
 */
export function coworldDoor(href: string): Door | null {
  const place = new URL(href);
  const match = /\/clients?\/(global|player|admin|replay)\/?$/.exec(place.pathname);
  if (!match) return null;
  const page = match[1] as SocketName;
  let own = new URL(place);
  own.pathname = `${place.pathname.slice(0, match.index)}/${page}`;
  own.hash = "";
  const socketAddress = place.searchParams.get("address");
  if (socketAddress !== null) {
    try {
      own = new URL(socketAddress.replace(/^ws/, "http"), place);
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
      if (page === "player" && socket === "global") {
        address.searchParams.set("watch", "1"); // a hosted seat has no other socket than its own
        return address;
      }
      address.pathname = own.pathname.replace(new RegExp(`/${page}/?$`), `/${socket}`);
      if (page === "admin") address.searchParams.set("rights", "host");
      return address;
    },
  };
}
