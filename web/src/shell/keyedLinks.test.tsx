import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ToastProvider } from "../ui/toast.js";
import { useKeyedLinks } from "./keyedLinks.js";

const asked: string[] = [];
let answers: (path: string) => Response;

beforeEach(() => {
  asked.length = 0;
  answers = (path) => (path.endsWith("/link") ? Response.json({ url: "/exports/signed", expires: new Date(Date.now() + 600_000) }) : new Response("file"));
  vi.stubGlobal("fetch", (path: string, init: RequestInit = {}) => {
    asked.push(`${init.method ?? "GET"} ${path} ${typeof init.body === "string" ? init.body : ""}`.trim());
    return Promise.resolve(answers(path));
  });
  URL.createObjectURL = () => "blob:x";
  URL.revokeObjectURL = () => undefined;
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function Page({ href }: { readonly href: string }) {
  useKeyedLinks();
  return (
    <a href={href} download="">
      <span>save</span>
    </a>
  );
}

const exported = "/api/notebooks/b1/export?format=py";

/** Renders a link, and returns it with its content, which is under the pointer. */
function shown(href: string): { link: HTMLElement; within: HTMLElement } {
  render(
    <ToastProvider>
      <Page href={href} />
    </ToastProvider>,
  );
  return { link: screen.getByRole("link"), within: screen.getByText("save") };
}

/** Presses the middle button, and reports whether the browser opens the link. */
const opens = (element: HTMLElement): boolean => fireEvent(element, new MouseEvent("auxclick", { bubbles: true, cancelable: true, button: 1 }));

test("a link that is pointed at gets an address that a browser may open without the key", async () => {
  const { link, within } = shown(exported);
  for (let i = 0; i < 5; i++) fireEvent.pointerOver(within);
  await waitFor(() => expect(link.getAttribute("href")).toBe("/exports/signed"));
  fireEvent.pointerOver(within);
  expect(asked).toEqual(['POST /api/notebooks/b1/export/link {"format":"py"}']);
  expect(opens(within)).toBe(true);
  expect(fireEvent.click(within)).toBe(false);
  await waitFor(() => expect(asked[1]).toBe(`GET ${exported}`));
});

test("so does one that has the focus, and one to an artifact", async () => {
  const { link } = shown("/api/notebooks/b1/artifacts/00?type=image%2Fpng&name=a.png");
  fireEvent.focusIn(link);
  await waitFor(() => expect(link.getAttribute("href")).toBe("/exports/signed"));
  expect(asked).toEqual(['POST /api/notebooks/b1/artifacts/00/link {"type":"image/png","name":"a.png"}']);
});

test("the page downloads itself what is opened before there is such an address, after its end, and where there is none", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { link, within } = shown(exported);
  expect(opens(within)).toBe(false);
  await waitFor(() => expect(asked).toEqual([`GET ${exported}`]));
  fireEvent.pointerOver(within);
  await waitFor(() => expect(link.getAttribute("href")).toBe("/exports/signed"));
  expect(opens(within)).toBe(true);
  answers = () => new Response(null, { status: 503 });
  vi.setSystemTime(Date.now() + 600_000);
  fireEvent.pointerOver(within);
  await waitFor(() => expect(asked).toHaveLength(3));
  expect(opens(within)).toBe(false);
});

test("links to other places, and the other buttons, are the browser's", () => {
  const { within } = shown("https://example.org/api/notebooks/b1/export");
  fireEvent.pointerOver(within);
  expect(opens(within)).toBe(true);
  cleanup();
  const ours = shown(exported).within;
  expect(fireEvent(ours, new MouseEvent("auxclick", { bubbles: true, cancelable: true, button: 2 }))).toBe(true);
  expect(asked).toEqual([]);
});
