import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useOutputsOff } from "./useOutputsOff.js";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});

test("a notebook is shown with its outputs, again after a page that ended as pages do", () => {
  expect(renderHook(() => useOutputsOff("n")).result.current).toBeUndefined();
  window.dispatchEvent(new Event("pagehide"));
  expect(renderHook(() => useOutputsOff("n")).result.current).toBeUndefined();
  cleanup();
  expect(renderHook(() => useOutputsOff("n")).result.current).toBeUndefined();
});

test("outputs are left out where the address says so, until they are asked for", () => {
  history.replaceState(null, "", "/nb/n?outputs=off");
  const { result } = renderHook(() => useOutputsOff("n"));
  expect(result.current?.why).toBe("asked");
  act(() => result.current?.show());
  expect(result.current).toBeUndefined();
});

test("outputs are left out after a page that ended by itself, of that notebook alone", () => {
  renderHook(() => useOutputsOff("n")); // and the page crashes
  expect(renderHook(() => useOutputsOff("other")).result.current).toBeUndefined();
  expect(renderHook(() => useOutputsOff("n")).result.current?.why).toBe("ended");
});
