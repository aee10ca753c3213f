import type { GetCalls, Me, PostCalls, PutCalls } from "./api-types";

/** A rejected request, with the server's message. */
export class RequestError extends Error {
  constructor(
    message: string,
    /** HTTP status; 0 if the server did not respond */
    readonly status: number,
  ) {
    super(message);
  }
}

/** The parameters of a path: `{season: string}` for `/seasons/{season}`. */
type Words<P extends string> = P extends `${string}{${infer W}}${infer Rest}`
  ? { [K in W]: string } & Words<Rest>
  : unknown;
export type Query = Record<string, string | number | boolean | null | undefined>;

/** Build the URL of a call from path parameters and query. */
export function address(path: string, words: Record<string, string> = {}, query: Query = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, word: string) => encodeURIComponent(words[word] ?? ""));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") search.set(key, String(value));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

/** Calls the server with the session of this browser. */
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
    headers: Record<string, string> = {},
  ): Promise<PostCalls[P]["answer"]> {
    return this.send("POST", address(path, words as Record<string, string>), body, headers);
  }

  async text(path: string): Promise<string> {
    return (await this.fetchResponse(path, this.elevated({}))).text();
  }

  put<P extends keyof PutCalls>(path: P, words: Words<P>, body: PutCalls[P]["body"]): Promise<PutCalls[P]["answer"]> {
    return this.send("PUT", address(path, words as Record<string, string>), body);
  }

  private send<T>(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<T> {
    const headers: Record<string, string> = { "X-CSRF-Token": this.me?.csrf ?? "", ...more };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return this.json(
      path,
      this.elevated({ method, headers, body: body === undefined ? undefined : JSON.stringify(body) }),
    );
  }

  /** Load the signed-in user: once, and again after a response that says the session ended. */
  async loadUser(): Promise<Me> {
    this.me = await this.json<Me>("/observatory/api/me", {});
    return this.me;
  }

  /** Headers that give administrators their privileges, as in the commands; null for other users. */
  get elevation(): Record<string, string> | null {
    return this.me?.is_admin ? { "X-Use-Elevated-Privileges": "true" } : null;
  }

  private elevated(settings: RequestInit): RequestInit {
    return this.elevation ? { ...settings, headers: { ...settings.headers, ...this.elevation } } : settings;
  }

  private async json<T>(path: string, settings: RequestInit): Promise<T> {
    const response = await this.fetchResponse(path, settings);
    try {
      return (await response.json()) as T;
    } catch {
      throw new RequestError("The server's response was incomplete; try again in a moment", 0);
    }
  }

  private async fetchResponse(path: string, settings: RequestInit): Promise<Response> {
    let response: Response;
    try {
      // "no-cache": revalidate, because a load follows a change or a navigation and must not show a stale response.
      response = await fetch(path, { credentials: "same-origin", cache: "no-cache", ...settings });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new RequestError("Cannot reach the server", 0);
    }
    if (response.ok) return response;
    throw new RequestError(sentence(await response.json().catch(() => null), response.status), response.status);
  }
}

/** Return the message of an error response: a sentence, or the list of invalid fields. */
export function sentence(body: unknown, status: number): string {
  const detail = (body as { detail?: unknown } | null)?.detail;
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) {
    const messages = detail.map(
      (problem: { loc?: unknown[]; msg?: string }) => `${(problem.loc ?? []).slice(1).join(".")}: ${problem.msg ?? ""}`,
    );
    return messages.join("; ") || `The server rejected the request (${status})`;
  }
  return status >= 500
    ? `The server failed on this request (${status}); try again in a moment`
    : `The server rejected the request (${status})`;
}
