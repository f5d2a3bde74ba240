import "./ui/tokens.css";
import "./shell/globals.css";
import "./shell/firstScreen.css";
import { nextPaint } from "./lib/nextPaint.js";
import { retried } from "./lib/retry.js";

// What the server sent of the page is painted before the scripts are run that take it over; they are loaded meanwhile.
void nextPaint().then(() => retried(() => import("./main.js")));
