import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App.js";
import { handOver } from "./app/handOver.js";
import { Router } from "./app/router.js";
import { Session } from "./app/session.js";
import { whenIdle } from "./app/whenIdle.js";
import { menuParts } from "./ui/Menu.js";
import { toastParts } from "./ui/toast.js";

const root = document.getElementById("root");
const first = document.getElementById("first");
if (root && first) handOver(root, first);
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App session={new Session()} router={new Router(window)} />
    </StrictMode>,
  );
}
// They are here before they are needed, so that the server may be away then.
whenIdle(() => void Promise.all([menuParts.load(), toastParts.load()]).catch(() => {}));
