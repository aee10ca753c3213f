import type { GetCalls, Me, PostCalls, PutCalls } from "./api-types";

/** What the server refused, in its own sentence. */
export class Refusal extends Error {
  constructor(
    message: string,
    /** 0: it did not answer at all */
    readonly status: number,
  ) {
    super(message);
  }
}

/** The words in braces of a path: `{season: string}` for `/seasons/{season}`. */
type Words<P extends string> = P extends `${string}{${infer W}}${infer Rest}`
  ? { [K in W]: string } & Words<Rest>
  : unknown;
export type Query = Record<string, string | number | boolean | null | undefined>;

/** The address of a call: words in their places, and a query of what is given. */
export function address(path: string, words: Record<string, string> = {}, query: Query = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, word: string) => encodeURIComponent(words[word] ?? ""));
  const said = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") said.set(key, String(value));
  }
  const text = said.toString();
  return text ? `${filled}?${text}` : filled;
}

/** Calls of the server, as whoever is signed in in this browser. */
export class Api {
  me: Me | null = null;

  get<P extends keyof GetCalls>(
    path: P,
    words: Words<P>,
    query: Query = {},
    signal?: AbortSignal,
  ): Promise<GetCalls[P]["answer"]> {
    return this.json(address(path, words as Record<string, string>, query), this.elevated({ signal }));
  }

  post<P extends keyof PostCalls>(
    path: P,
    words: Words<P>,
    body?: PostCalls[P]["body"],
  ): Promise<PostCalls[P]["answer"]> {
    return this.send("POST", address(path, words as Record<string, string>), body);
  }

  async text(path: string): Promise<string> {
    return (await this.fetched(path, this.elevated({}))).text();
  }

  put<P extends keyof PutCalls>(path: P, words: Words<P>, body: PutCalls[P]["body"]): Promise<PutCalls[P]["answer"]> {
    return this.send("PUT", address(path, words as Record<string, string>), body);
  }

  private send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { "X-CSRF-Token": this.me?.csrf ?? "" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return this.json(
      path,
      this.elevated({ method, headers, body: body === undefined ? undefined : JSON.stringify(body) }),
    );
  }

  /** Who is there; asked once, and again after a refusal that says the session is over. */
  async whoIsThere(): Promise<Me> {
    this.me = await this.json<Me>("/observatory/api/me", {});
    return this.me;
  }

  /** Administrators see and do here what the commands let them do with the same header; null for everybody else. */
  get elevation(): Record<string, string> | null {
    return this.me?.is_admin ? { "X-Use-Elevated-Privileges": "true" } : null;
  }

  private elevated(settings: RequestInit): RequestInit {
    return this.elevation ? { ...settings, headers: { ...settings.headers, ...this.elevation } } : settings;
  }

  private async json<T>(path: string, settings: RequestInit): Promise<T> {
    const response = await this.fetched(path, settings);
    try {
      return (await response.json()) as T;
    } catch {
      throw new Refusal("The server's answer broke off; try again in a moment", 0);
    }
  }

  private async fetched(path: string, settings: RequestInit): Promise<Response> {
    let response: Response;
    try {
      // "no-cache": something has changed or somebody came, and a page shows what is true now, never what was a second ago.
      response = await fetch(path, { credentials: "same-origin", cache: "no-cache", ...settings });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new Refusal("The server cannot be reached", 0);
    }
    if (response.ok) return response;
    throw new Refusal(sentence(await response.json().catch(() => null), response.status), response.status);
  }
}

/** What a refusal says: a sentence, or the list of what is wrong with a request. */
export function sentence(body: unknown, status: number): string {
  const detail = (body as { detail?: unknown } | null)?.detail;
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) {
    const told = detail.map(
      (problem: { loc?: unknown[]; msg?: string }) => `${(problem.loc ?? []).slice(1).join(".")}: ${problem.msg ?? ""}`,
    );
    return told.join("; ") || `The server refused the request (${status})`;
  }
  return status >= 500
    ? `The server failed on this request (${status}); try again in a moment`
    : `The server refused the request (${status})`;
}
