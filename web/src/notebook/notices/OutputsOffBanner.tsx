import { use } from "react";
import { OutputsOffContext } from "../../output/context/outputsOff.js";
import { Banner } from "../../ui/Banner.js";
import { Button } from "../../ui/Button.js";
import { clearOutputs } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import { useMay } from "../state/role.js";

/** Tells the user that outputs are hidden, and offers to show them. */
export function OutputsOffBanner() {
  const outputsOff = use(OutputsOffContext);
  const page = usePage();
  const mayEdit = useMay("edit");
  if (!outputsOff) return null;
  const actions = (
    <>
      {mayEdit && <Button onClick={() => void attempt(page, () => clearOutputs(page))}>Clear all outputs</Button>}
      <Button onClick={() => outputsOff.show()}>Show outputs</Button>
    </>
  );
  return (
    <Banner kind="info" action={actions}>
      {outputsOff.why === "ended" && "The page ended by itself when it last showed this notebook. "}
      Outputs are not shown, and text is shown as it is written.
    </Banner>
  );
}
