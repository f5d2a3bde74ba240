import { expect, test } from "vitest";
import { keepClipboard, keepHistory } from "./guards.js";

/** Returns a separate window, because guards change it for good. */
function realm(): Window & typeof globalThis {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  const window = frame.contentWindow;
  if (!window || !("Document" in window)) throw new Error("no window");
  return Object.assign(window);
}

test("states of content are its own, and none is in the list of the Back button", () => {
  const window = realm();
  keepHistory(window);
  const before = window.history.length;
  window.history.pushState({ page: 1 }, "", "#one");
  expect(window.history.state).toEqual({ page: 1 });
  expect(window.history.length).toBe(before);
  expect(window.location.hash).toBe("");
});

test("the clipboard is not there, and commands that reach it do nothing", () => {
  const window = realm();
  Object.defineProperty(window.Document.prototype, "execCommand", { value: (name: string) => name, configurable: true });
  keepClipboard(window);
  expect(window.document.execCommand("copy")).toBe(false);
  expect(window.document.execCommand("CuT")).toBe(false);
  expect(window.document.execCommand("bold")).toBe("bold");
  expect("clipboard" in window.navigator && window.navigator.clipboard).toBeFalsy();
  expect(() => Object.defineProperty(window.Document.prototype, "execCommand", { value: () => true })).toThrow();
});
