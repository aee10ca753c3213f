import type { App } from "../app";
import { AgentPanel } from "./agent";
import { ChartsPanel } from "./charts";
import { ComparePanel } from "./compare";
import { EventsPanel } from "./events";
import { HeatPanel } from "./heat";
import { InfoPanel } from "./info";
import type { Panel } from "./panel";
import { ScorePanel } from "./score";
import { SearchPanel } from "./search";
import { SightPanel } from "./sight";
import { StatsPanel } from "./stats";
import { TalkPanel } from "./talk";

/** The page's services for panels. */
export interface PanelActions {
  lookAt(place: { x: number; y: number }): void;
  openBeside(): void;
  closeBeside(): void;
}

/** Create all panels, in the order of their tabs. */
export function createPanels(app: App, { lookAt, openBeside, closeBeside }: PanelActions): Panel[] {
  return [
    new AgentPanel(app, lookAt),
    new SightPanel(app),
    new EventsPanel(app, lookAt),
    new ChartsPanel(app),
    new HeatPanel(app, lookAt),
    new SearchPanel(app, lookAt),
    new ScorePanel(app),
    new StatsPanel(app),
    new TalkPanel(app),
    new InfoPanel(app),
    new ComparePanel(app, openBeside, closeBeside),
  ];
}
