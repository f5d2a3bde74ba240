import { Fields } from "../lib/parse.js";

/** ToFrame is what the page says to a frame that shows an output. */
export type ToFrame =
  | { readonly kind: "show"; readonly look: "html" | "javascript"; readonly source: string }
  /** With the first comes a channel, on which all else is said: content that the frame shows later never sees it. */
  | { readonly kind: "theme"; readonly css: string }
  /** The frame has the focus: was it pressed? */
  | { readonly kind: "pressed" };

/** FromFrame is all that a frame can say to the page. Anything in the frame may say it, so it is never trusted. */
export type FromFrame =
  | { readonly kind: "ready" }
  | { readonly kind: "height"; readonly height: number }
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "escape" }
  /** Whether a person pressed in it just now. */
  | { readonly kind: "pressed" | "unpressed" }
  /** Something was not loaded; the host is "" if it is not known. */
  | { readonly kind: "blocked"; readonly host: string }
  | { readonly kind: "error"; readonly text: string };

const longest = 500; // units of a message of an error
const longestAddress = 8000;
const longestHost = 260;

/** Returns what a frame said, or undefined if it is nothing that a frame may say. */
export function parseFromFrame(data: unknown): FromFrame | undefined {
  const fields = new Fields(data);
  switch (fields.stringIfAny("kind")) {
    case "ready":
      return { kind: "ready" };
    case "height": {
      const height = fields.numberIfAny("height");
      return height !== undefined && Number.isFinite(height) && height >= 0 ? { kind: "height", height } : undefined;
    }
    case "link": {
      const href = fields.stringIfAny("href");
      return href !== undefined && href.length <= longestAddress ? { kind: "link", href } : undefined;
    }
    case "escape":
      return { kind: "escape" };
    case "pressed":
      return { kind: "pressed" };
    case "unpressed":
      return { kind: "unpressed" };
    case "blocked": {
      const host = fields.stringIfAny("host");
      return host === undefined ? undefined : { kind: "blocked", host: host.slice(0, longestHost) };
    }
    case "error": {
      const text = fields.stringIfAny("text");
      return text === undefined ? undefined : { kind: "error", text: text.slice(0, longest) };
    }
    default:
      return undefined;
  }
}

/** Returns what the page said to a frame. */
export function parseToFrame(data: unknown): ToFrame | undefined {
  const fields = new Fields(data);
  switch (fields.stringIfAny("kind")) {
    case "show": {
      const look = fields.stringIfAny("look");
      const source = fields.stringIfAny("source");
      return source !== undefined && (look === "html" || look === "javascript") ? { kind: "show", look, source } : undefined;
    }
    case "theme": {
      const css = fields.stringIfAny("css");
      return css === undefined ? undefined : { kind: "theme", css };
    }
    case "pressed":
      return { kind: "pressed" };
    default:
      return undefined;
  }
}
