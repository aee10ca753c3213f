import type { GuestGame } from "../api-types";
import { to } from "../router";
import type { Site } from "../view";

/**
 * Start a game with the user in its first seat and the game's own players in the others; return the address of its
 * page. A visitor without an account starts it as a guest.
 */
export async function startGame(
  site: Site,
  choice: Pick<GuestGame, "game" | "coworld_id" | "variant_id">,
): Promise<string> {
  const { api } = site;
  if (!api.me?.signed_in) return to.play((await startAsGuest(site, choice.game)).session_id);
  const body = { coworld_id: choice.coworld_id, variant_id: choice.variant_id };
  const words = { session_id: (await api.post("/v2/coworlds/play/session", {}, body)).session_id };
  await api.post("/v2/coworlds/play/session/{session_id}/join", words);
  await api.post("/v2/coworlds/play/session/{session_id}/start", words);
  return to.play(words.session_id);
}

/** Start a game as a guest; a cookie that has expired since the page was loaded is renewed first. */
async function startAsGuest({ api }: Site, game: string) {
  const start = () => api.post("/observatory/api/guest/games", {}, { game });
  try {
    return await start();
  } catch (error) {
    if ((error as { status?: number }).status !== 403) throw error;
    await api.loadUser();
    return start();
  }
}
