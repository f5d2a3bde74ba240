import { CirclePlay, Square } from "lucide-react";
import { useNotebook, useQueue } from "../../core/hooks.js";
import { Button } from "../../ui/Button.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import { runAll } from "../state/runs.js";

/** Runs all cells, or stops the runs. */
export function RunButton() {
  const page = usePage();
  const empty = (useNotebook()?.cells.length ?? 0) === 0;
  const running = useQueue().length > 0;
  const run = (): void => void attempt(page, () => runAll(page));
  return running ? (
    <Button icon={<Square aria-hidden />} onClick={() => page.act("interrupt")}>
      Stop
    </Button>
  ) : (
    <Button kind="primary" icon={<CirclePlay aria-hidden />} disabled={empty} onClick={run}>
      Run all
    </Button>
  );
}
