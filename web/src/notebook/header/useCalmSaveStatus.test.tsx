import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryClient } from "../../../test/memory.js";
import { ClientContext } from "../../core/hooks.js";
import { useCalmSaveStatus } from "./useCalmSaveStatus.js";

let renders = 0;

function Shown() {
  renders++;
  return <p>{useCalmSaveStatus().text}</p>;
}

let client: MemoryClient;

/** Sets a status, and returns the displayed text. */
function stands(seq: number, pending: number): string | null {
  act(() => client.store.apply({ status: { seq, pending, online: true } }));
  return screen.getByRole("paragraph").textContent;
}

function wait(milliseconds: number): string | null {
  act(() => void vi.advanceTimersByTime(milliseconds));
  return screen.getByRole("paragraph").textContent;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  client = new MemoryClient();
  render(
    <ClientContext value={client}>
      <Shown />
    </ClientContext>,
  );
  stands(1, 0);
  wait(1_000);
  renders = 0;
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("what is not saved is said at once, and that it is saved only when it has been for a moment", () => {
  expect(stands(1, 1)).toBe("Saving…");
  expect(stands(2, 0)).toBe("Saving…");
  expect(wait(200)).toBe("Saving…");
  expect(wait(200)).toBe("Saved");
});

test("keys that follow one another are being saved all the time, which renders nothing anew", () => {
  stands(1, 1);
  renders = 0;
  for (let key = 2; key < 50; key++) {
    stands(key, 0);
    expect(wait(100)).toBe("Saving…");
    stands(key, 1);
  }
  expect(renders).toBe(0);
  stands(50, 0);
  expect(wait(300)).toBe("Saved");
});

test("what others do is counted a few times a second", () => {
  for (let seq = 2; seq < 30; seq++) stands(seq, 0);
  expect(renders).toBe(0);
  expect(wait(300)).toBe("Saved");
});

test("a connection that is lost is said at once", () => {
  act(() => client.store.apply({ status: { seq: 1, pending: 2, online: false, trouble: "away" } }));
  expect(screen.getByRole("paragraph").textContent).toBe("Offline · 2 changes kept here");
});
