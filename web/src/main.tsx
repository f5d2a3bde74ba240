import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { whenIdle } from "./lib/whenIdle.js";
import { keepPage } from "./offline/register.js";
import { Router } from "./routing/router.js";
import { Session } from "./session/session.js";
import { App } from "./shell/App.js";
import { handOver } from "./shell/handOver.js";
import { notebookLoaded } from "./shell/Page.js";
import { menuParts } from "./ui/Menu.js";
import { toastParts } from "./ui/toast.js";

const session = new Session();

async function show(root: HTMLElement, first: HTMLElement | null): Promise<void> {
  if (first) {
    handOver(root, first);
    await notebookLoaded();
  }
  createRoot(root).render(
    <StrictMode>
      <App session={session} router={new Router(window)} />
    </StrictMode>,
  );
}

const root = document.getElementById("root");
if (root) void show(root, document.getElementById("first"));
// Loaded before they are needed, because the server may be away then.
whenIdle(() => void (session.standing() === "signed-out" || keepPage()));
whenIdle(() => void Promise.all([menuParts.load(), toastParts.load()]));
