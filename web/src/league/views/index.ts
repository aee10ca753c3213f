import type { Route } from "../router";
import type { Site, View } from "../view";
import { CompareView } from "./compare";
import { CoworldView } from "./coworld";
import { CoworldsView } from "./coworlds";
import { DivisionView } from "./division";
import { EpisodeView } from "./episode";
import { FriendlyView } from "./friendly";
import { HomeView } from "./home";
import { LeagueView } from "./league";
import { LeaguesView } from "./leagues";
import { LobbyView } from "./lobby";
import { ManageView } from "./manage";
import { MatchView } from "./match";
import { MeView } from "./me";
import { MissingView } from "./missing";
import { NoticesView } from "./notices";
import { PersonView } from "./person";
import { PlayView } from "./play";
import { PlayerView } from "./player";
import { PolicyView } from "./policy";
import { QueueView } from "./queue";
import { RoundView } from "./round";
import { SearchView } from "./search";
import { SeasonView } from "./season";
import { UploadView } from "./upload";

export function makeView(site: Site, route: Route): View {
  switch (route.page) {
    case "home":
      return new HomeView(site, route);
    case "season":
      return new SeasonView(site, route);
    case "leagues":
      return new LeaguesView(site, route);
    case "league":
      return new LeagueView(site, route);
    case "division":
      return new DivisionView(site, route);
    case "round":
      return new RoundView(site, route);
    case "player":
      return new PlayerView(site, route);
    case "match":
      return new MatchView(site, route);
    case "compare":
      return new CompareView(site, route);
    case "policy":
      return new PolicyView(site, route);
    case "episode":
      return new EpisodeView(site, route);
    case "coworlds":
      return new CoworldsView(site, route);
    case "coworld":
      return new CoworldView(site, route);
    case "search":
      return new SearchView(site, route);
    case "upload":
      return new UploadView(site, route);
    case "queue":
      return new QueueView(site, route);
    case "me":
      return new MeView(site, route);
    case "notices":
      return new NoticesView(site, route);
    case "person":
      return new PersonView(site, route);
    case "friendly":
      return new FriendlyView(site, route);
    case "manage":
      return new ManageView(site, route);
    case "play":
      return new PlayView(site, route);
    case "lobby":
      return new LobbyView(site, route);
    case "missing":
      return new MissingView(site, route);
  }
}
