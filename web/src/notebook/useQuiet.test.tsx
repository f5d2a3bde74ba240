import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useQuiet } from "./useQuiet.js";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});

test("a notebook is shown with its outputs, again after a page that ended as pages do", () => {
  expect(renderHook(() => useQuiet("n")).result.current).toBeUndefined();
  window.dispatchEvent(new Event("pagehide"));
  expect(renderHook(() => useQuiet("n")).result.current).toBeUndefined();
  cleanup();
  expect(renderHook(() => useQuiet("n")).result.current).toBeUndefined();
});

test("outputs are left out where the address says so, until they are asked for", () => {
  history.replaceState(null, "", "/nb/n?outputs=off");
  const { result } = renderHook(() => useQuiet("n"));
  expect(result.current?.why).toBe("asked");
  act(() => result.current?.show());
  expect(result.current).toBeUndefined();
});

test("outputs are left out after a page that ended by itself, of that notebook alone", () => {
  renderHook(() => useQuiet("n")); // and the page crashes
  expect(renderHook(() => useQuiet("other")).result.current).toBeUndefined();
  expect(renderHook(() => useQuiet("n")).result.current?.why).toBe("ended");
});
