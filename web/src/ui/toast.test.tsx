import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { preparePage } from "../../test/preparePage.js";
import { Button } from "./Button.js";
import { type Toast, ToastProvider, useToast } from "./toast.js";

preparePage();

function Example({ toasts }: { readonly toasts: readonly Toast[] }) {
  const show = useToast();
  return <Button onClick={() => toasts.forEach(show)}>Show</Button>;
}

async function show(...toasts: readonly Toast[]) {
  const user = userEvent.setup();
  render(
    <ToastProvider>
      <Example toasts={toasts} />
    </ToastProvider>,
  );
  await user.click(screen.getByRole("button", { name: "Show" }));
  return { user, region: screen.getByRole("region", { name: /Notifications/ }) };
}

test("a toast is said politely, and an error at once", async () => {
  await show({ text: "Copied" }, { text: "Not copied", kind: "error" });
  const live = async (text: string) => (await screen.findAllByText(new RegExp(`Notification ${text}`)))[0]?.closest("[aria-live]")?.getAttribute("aria-live");
  expect(await live("Copied")).toBe("polite");
  expect(await live("Not copied")).toBe("assertive");
});

test("the action of a toast is done with the keyboard, and the toast goes", async () => {
  const done: string[] = [];
  const { user, region } = await show({ text: "Deleted", action: { label: "Undo", onSelect: () => done.push("undo") } });
  await user.keyboard("{F8}{Tab}{Tab}");
  within(region).getByRole("button", { name: "Undo" }).focus();
  await user.keyboard("{Enter}");
  expect(done).toEqual(["undo"]);
  expect(within(region).queryByText("Deleted")).toBeNull();
});

test("a toast that is not true any more is taken away, and says when it is gone", async () => {
  const gone: string[] = [];
  const withdraw: (() => void)[] = [];
  function Truth() {
    const show = useToast();
    return <Button onClick={() => ["one", "two"].forEach((text) => withdraw.push(show({ text, onGone: () => gone.push(text) })))}>Tell</Button>;
  }
  render(
    <ToastProvider>
      <Truth />
    </ToastProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Tell" }));
  const region = screen.getByRole("region", { name: /Notifications/ });
  expect(gone).toEqual([]);
  act(() => withdraw[0]?.());
  expect(
    within(region)
      .getAllByRole("listitem")
      .map((item) => item.textContent),
  ).toEqual(["two"]);
  expect(gone).toEqual(["one"]);
});

test("a toast can be dismissed", async () => {
  const { user, region } = await show({ text: "Oh no", kind: "error" });
  await user.click(within(region).getByRole("button", { name: "Dismiss" }));
  expect(within(region).queryByText("Oh no")).toBeNull();
});

test("no more than the last three toasts are shown", async () => {
  const { region } = await show({ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" });
  expect(
    within(region)
      .getAllByRole("listitem")
      .map((item) => item.textContent),
  ).toEqual(["two", "three", "four"]);
});
