import { Bell, CirclePlay, Power, RotateCw, Square } from "lucide-react";
import { useQueuedCode, useRuntime, useStatusOf } from "../../core/hooks.js";
import { languageTitle } from "../../core/language.js";
import { Menu, type MenuItem } from "../../ui/Menu.js";
import { attempt } from "../state/attempt.js";
import { shortcut } from "../state/keymap.js";
import { languagesOf } from "../state/languages.js";
import { type Page, usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import { restartAndRunAll, runAll } from "../state/runs.js";
import { type Health, health } from "./runtimeHealth.js";
import styles from "./RuntimeMenu.module.css";

/** The state of the runtime, with its actions. */
export function RuntimeMenu() {
  const page = usePage();
  const away = useStatusOf((status) => status?.online === false && status.trouble !== undefined);
  const state = health(useRuntime(), useQueuedCode(), away);
  const mayEdit = useMay("edit");
  return (
    <Menu
      label="Runtime"
      items={() => itemsOf(page, state, mayEdit)}
      trigger={
        <button type="button" className={styles.health} data-kind={state.kind} title={state.detail}>
          <span className={styles.mark} aria-hidden />
          <span className={styles.text}>
            <span className={styles.hidden}>Runtime: </span>
            {state.text}
          </span>
        </button>
      }
    />
  );
}

function itemsOf(page: Page, { kind }: Health, mayStop: boolean): readonly MenuItem[] {
  const there = kind === "ready" || kind === "busy" || kind === "away";
  const item = (
    label: string,
    icon: MenuItem & { kind: "item" } extends { icon?: infer I } ? I : never,
    does: () => void | Promise<void>,
    more: { disabled?: boolean; shortcut?: string } = {},
  ): MenuItem => ({
    kind: "item",
    label,
    icon,
    onSelect: () => void attempt(page, does),
    ...more,
  });
  const key = shortcut("restart", page.mac);
  const stopKey = shortcut("interrupt", page.mac);
  return [
    item("Run all", <CirclePlay />, () => runAll(page)),
    item("Stop running cells", <Square />, () => page.act("interrupt"), {
      disabled: kind !== "busy" && kind !== "starting",
      ...(stopKey && { shortcut: stopKey }),
    }),
    { kind: "separator" },
    item(there ? "Restart" : "Start", <RotateCw />, () => restart(page, there), { ...(there && key && { shortcut: key }) }),
    item("Restart and run all", <RotateCw />, () => restartAndRunAll(page)),
    ...(there
      ? alone(page).map((id) => item(`Restart ${languageTitle(id)} alone`, <RotateCw />, () => restartOne(page, id), { disabled: kind === "busy" }))
      : []),
    ...(mayStop ? [item("Shut down", <Power />, page.stopRuntime, { disabled: !there })] : []),
    ...notifyItem(page),
  ];
}

async function restart({ restartRuntime, note }: Page, there: boolean): Promise<void> {
  await restartRuntime();
  note({ text: there ? "Runtime restarted. Variables were cleared." : "Runtime started." });
}

/** The languages of a notebook that has several. */
function alone({ client }: Page): readonly string[] {
  const languages = languagesOf(client.store);
  return languages.length > 1 ? languages : [];
}

async function restartOne({ client, note }: Page, language: string): Promise<void> {
  await client.call("unload", { language, reload: true });
  note({ text: `${languageTitle(language)} restarted. Its variables were cleared, and those of other languages kept.` });
}

/** Asks for permission to notify; only a click may ask, and only before an answer was given. */
function notifyItem(page: Page): readonly MenuItem[] {
  if (typeof Notification === "undefined" || Notification.permission !== "default") return [];
  const ask = async (): Promise<void> => {
    const answer = await Notification.requestPermission();
    page.note({ text: answer === "granted" ? "You will be told when a long run ends while you are elsewhere." : "Your browser will not notify you." });
  };
  return [{ kind: "separator" }, { kind: "item", label: "Notify me when long runs end", icon: <Bell />, onSelect: () => void attempt(page, ask) }];
}
