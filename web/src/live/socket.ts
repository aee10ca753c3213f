const LONGEST_WAIT = 8;
/** Close code of a server that continues with another game at the same address, such as the next lesson. */
const NEXT_GAME = 1012;
/** Close code of a Coworld for a connection whose seat has a newer connection. */
const TAKEN = 4001;
/** Seconds after which a connection counts as stable and resets the backoff. */
const GOOD_SECONDS = 5;

export interface SocketEvents {
  opened?(): void;
  message(data: string | ArrayBuffer): void;
  /** disconnected; the next attempt is in this many seconds */
  lost?(seconds: number): void;
  /** failed without retry, with the reason */
  refused?(sentence: string): void;
  /** closed by the server for good */
  over?(): void;
}

/** A connection to the game that reconnects automatically. */
export class LiveSocket {
  private socket: WebSocket | null = null;
  private timer = 0;
  private wait = 0.5;
  private openedAt = 0;
  private isClosed = false;
  private readonly onOnline = () => this.retryNow();
  private readonly onOffline = () => this.drop();

  /** `address` is the socket's address with the scheme http or https. */
  constructor(
    private readonly address: URL,
    private readonly events: SocketEvents,
  ) {
    window.addEventListener("online", this.onOnline);
    window.addEventListener("offline", this.onOffline);
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Send a message; return whether it could be sent. */
  send(message: object): boolean {
    if (!this.isOpen) return false;
    this.socket!.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    window.removeEventListener("online", this.onOnline);
    window.removeEventListener("offline", this.onOffline);
    this.socket?.close(1000);
  }

  private connect(): void {
    const address = new URL(this.address);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.socket = socket;
    this.openedAt = 0;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.openedAt = performance.now();
      this.events.opened?.();
    };
    socket.onmessage = ({ data }) => this.socket === socket && this.events.message(data as string | ArrayBuffer);
    socket.onclose = ({ code }) => this.socket === socket && void this.closed(code);
  }

  private async closed(code: number): Promise<void> {
    this.socket = null;
    if (this.isClosed) return;
    if (code === 1000) return this.end(() => this.events.over?.());
    if (code === NEXT_GAME) return this.connect();
    if (code === TAKEN) return this.end(() => this.events.refused?.("A newer connection has this seat"));
    if (this.openedAt) {
      if (performance.now() - this.openedAt > GOOD_SECONDS * 1000) this.wait = 0.5;
    } else {
      const sentence = await this.refusal();
      if (this.isClosed) return;
      if (sentence) return this.end(() => this.events.refused?.(sentence));
    }
    this.events.lost?.(this.wait);
    this.timer = window.setTimeout(() => this.connect(), this.wait * 1000);
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  /**
   * Return the server's reason for a rejection; "" if it cannot be reached. Browsers hide it for sockets, so this uses
   * HTTP.
   */
  private async refusal(): Promise<string> {
    try {
      const response = await fetch(this.address, { cache: "no-store" });
      if (response.status !== 403 && response.status !== 404) return "";
      return (await response.text()).trim().slice(0, 300) || "The game rejected this page";
    } catch {
      return "";
    }
  }

  private end(notify: () => void): void {
    this.close();
    notify();
  }

  /** Handle a lost network at once, without waiting for the socket's timeout. */
  private drop(): void {
    const { socket } = this;
    if (!socket) return;
    socket.onclose = null;
    socket.close();
    void this.closed(1006);
  }

  private retryNow(): void {
    if (this.socket || this.isClosed) return;
    clearTimeout(this.timer);
    this.wait = 0.5;
    this.connect();
  }
}
