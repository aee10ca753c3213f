/** What a connection does now, for people. */
export interface Status {
  readonly state: "connecting" | "open" | "lost" | "closed";
  readonly text: string;
}

interface Handlers {
  onMessage(data: ArrayBuffer | string): void;
  onStatus(status: Status): void;
}

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5000;
/** refusals after a lost connection that are tried again: the server may not have noticed the loss yet */
const RETRIED_REFUSALS = 5;
const REFUSED = 1008;
const FINISHED = 1000;

/** A socket that connects again after a lost connection, but not after a refusal or an end that the server explains. */
export class Connection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private timer = 0;
  private wasLost = false;
  private refusals = 0;

  constructor(
    private readonly address: string,
    private readonly handlers: Handlers,
  ) {}

  open(): void {
    clearTimeout(this.timer);
    this.socket?.close();
    this.handlers.onStatus({ state: "connecting", text: "Connecting" });
    let socket: WebSocket;
    try {
      socket = new WebSocket(this.address);
    } catch {
      this.handlers.onStatus({ state: "closed", text: "The address of the game is not valid" });
      return;
    }
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    let hasMessage = false;
    socket.onmessage = (event) => {
      if (socket !== this.socket) return;
      if (!hasMessage) {
        hasMessage = true;
        this.wait = FIRST_WAIT_MS;
        this.refusals = 0;
        this.handlers.onStatus({ state: "open", text: "Connected" });
      }
      this.handlers.onMessage(event.data as ArrayBuffer | string);
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event, hasMessage);
    };
  }

  /** Send a message; it is dropped while there is no connection. */
  send(message: Uint8Array<ArrayBuffer>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(message);
  }

  /** Close for good, with a sentence that says why. */
  fail(text: string): void {
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.handlers.onStatus({ state: "closed", text });
  }

  private closed(event: CloseEvent, hadMessage: boolean): void {
    const isExplained = event.code === REFUSED || event.code === FINISHED;
    const isRetried = event.code === REFUSED && this.wasLost && this.refusals++ < RETRIED_REFUSALS;
    if (isExplained && !isRetried) {
      this.wasLost = false;
      this.handlers.onStatus({ state: "closed", text: event.reason || "The server closed the connection" });
      return;
    }
    this.wasLost ||= hadMessage;
    this.handlers.onStatus({ state: "lost", text: hadMessage ? "Connection lost" : "No connection" });
    if (!hadMessage) void this.explain();
    this.timer = window.setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, MAX_WAIT_MS);
  }

  /** Tell a server that refuses the handshake (409 for a kicked player) from one that cannot be reached. */
  private async explain(): Promise<void> {
    const health = new URL("../healthz", location.href);
    const isHealthy = await fetch(health).then(
      (response) => response.ok,
      () => false,
    );
    if (this.socket?.readyState === WebSocket.OPEN) return;
    const text = isHealthy
      ? "The game refuses the connection: the player was kicked, or the slot or token is wrong"
      : "The game cannot be reached; trying again";
    this.handlers.onStatus({ state: "lost", text });
  }
}

/** Fetch a document beside the page; try again until the server answers. */
export async function fetchDocument<T>(name: string): Promise<T> {
  const address = new URL(name, location.href);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    try {
      const response = await fetch(address);
      if (response.ok) return (await response.json()) as T;
    } catch {
      // The server may be starting; try again.
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}
