import { useEffect, useState } from "react";
import { useApi } from "../../core/api.js";
import { Banner } from "../../ui/Banner.js";
import { Button } from "../../ui/Button.js";

/** The progress of a decision about an untrusted notebook. */
type Step = "unknown" | "told" | "asked" | "done";

/** Tells that the programs of an imported notebook run in the sandbox, and lets its owner trust it. */
export function TrustBanner({ id }: { readonly id: string }) {
  const api = useApi();
  const [step, setStep] = useState<Step>("unknown");
  const [mine, setMine] = useState(false);
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    const asked = new AbortController();
    const look = async (): Promise<void> => {
      const { trusted, sandboxed } = await api.trust(id, asked.signal);
      if (trusted || !sandboxed) return;
      setMine((await api.notebook(id, asked.signal)).role === "owner");
      setStep("told");
    };
    look().catch(() => undefined); // a server without runtimes does not know about trust
    return () => asked.abort();
  }, [api, id]);
  const trust = async (): Promise<void> => {
    try {
      await api.setTrust(id, true);
      await api.restartRuntime(id);
      setStep("done");
    } catch (cause) {
      setFailed(cause instanceof Error ? cause.message : String(cause));
    }
  };
  if (step === "unknown" || step === "done") return null;
  const actions = (
    <>
      {mine && step === "told" && <Button onClick={() => setStep("asked")}>Trust…</Button>}
      {step === "asked" && (
        <Button kind="danger" onClick={() => void trust()}>
          Trust and restart
        </Button>
      )}
      <Button onClick={() => setStep("done")}>{step === "asked" ? "Cancel" : "Close"}</Button>
    </>
  );
  return (
    <Banner kind="info" action={actions}>
      {step === "told" && "This notebook came from elsewhere. Its programs run in the sandbox: they have its own files and no network."}
      {step === "asked" &&
        "Its programs may then do on this computer what you may. Do you know what its code does? The variables are lost as the runtime restarts."}
      {failed !== undefined && ` It was not done: ${failed}`}
    </Banner>
  );
}
