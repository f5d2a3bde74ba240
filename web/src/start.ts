import "./ui/tokens.css";
import "./shell/globals.css";
import "./shell/firstScreen.css";
import { nextPaint } from "./lib/nextPaint.js";
import { retried } from "./lib/retry.js";

// The server's first screen is painted before the scripts run that replace it; they are loaded meanwhile.
void nextPaint().then(() => retried(() => import("./main.js")));
