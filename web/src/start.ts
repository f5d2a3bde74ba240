import "./ui/tokens.css";
import "./app/globals.css";
import "./app/firstScreen.css";
import { nextPaint } from "./app/nextPaint.js";
import { retried } from "./core/retry.js";

// What the server sent of the page is painted before the scripts are run that take it over; they are loaded meanwhile.
void nextPaint().then(() => retried(() => import("./main.js")));
