const LONGEST_WAIT = 8;
/** How a server closes that goes on with another game, such as the next lesson, at the same address. */
const NEXT_GAME = 1012;
/** How a Coworld closes a connection whose seat a newer one has. */
const TAKEN = 4001;
/** A connection that has been open for so many seconds is good: the next wait begins short again. */
const GOOD_SECONDS = 5;

export interface SocketEvents {
  opened?(): void;
  message(data: string | ArrayBuffer): void;
  /** gone for now; tried again in so many seconds */
  lost?(seconds: number): void;
  /** will not be tried again, and why */
  refused?(sentence: string): void;
  /** the server has ended it for good */
  over?(): void;
}

/** A connection to the game that comes back by itself. */
export class LiveSocket {
  private socket: WebSocket | null = null;
  private timer = 0;
  private wait = 0.5;
  private openedAt = 0;
  private isClosed = false;
  private readonly onOnline = () => this.retryNow();
  private readonly onOffline = () => this.drop();

  /** `address` is that of the socket, with http or https. */
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

  /** Whether it could be sent. */
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

  /** Why the server does not let us in; "" when it cannot be reached. A browser does not tell that about sockets. */
  private async refusal(): Promise<string> {
    try {
      const response = await fetch(this.address, { cache: "no-store" });
      if (response.status !== 403 && response.status !== 404) return "";
      return (await response.text()).trim().slice(0, 300) || "The game does not let this page in";
    } catch {
      return "";
    }
  }

  private end(tell: () => void): void {
    this.close();
    tell();
  }

  /** The network is gone: do not wait until the socket notices. */
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
