import "./style.css";
import { App } from "./app";

void new App(document.getElementById("league")!).start();
