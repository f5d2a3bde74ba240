import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ui/tokens.css";
import "./app/globals.css";
import { App } from "./app/App.js";
import { Router } from "./app/router.js";
import { Session } from "./app/session.js";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App session={new Session()} router={new Router(window)} />
    </StrictMode>,
  );
}
