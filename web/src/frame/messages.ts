import { Fields } from "../lib/parse.js";

/** ToFrame are the messages of the page to the frame of an output. */
export type ToFrame =
  | { readonly kind: "show"; readonly look: "html" | "javascript"; readonly source: string }
  /** The first one brings a channel for all other messages: content shown later never sees it. */
  | { readonly kind: "theme"; readonly css: string }
  /** The frame has the focus: was it pressed? */
  | { readonly kind: "pressed" };

/** FromFrame are the messages of a frame to the page. Any content of the frame can send them, so they are never trusted. */
export type FromFrame =
  | { readonly kind: "ready" }
  | { readonly kind: "height"; readonly height: number }
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "escape" }
  /** Whether the user pressed in it just now. */
  | { readonly kind: "pressed" | "unpressed" }
  /** A resource was blocked; the host is "" if it is unknown. */
  | { readonly kind: "blocked"; readonly host: string }
  | { readonly kind: "error"; readonly text: string };

const longest = 500; // units of an error message
const longestAddress = 8000;
const longestHost = 260;

/** Returns a frame's message, or undefined if it is not a valid one. */
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

/** Returns the page's message to a frame. */
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
