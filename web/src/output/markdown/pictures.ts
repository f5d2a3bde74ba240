import { isPaintable, paintShapes } from "../image/paintable.js";

/** Pictures are the addresses of attached pictures, by name. */
export type Pictures = ReadonlyMap<string, string>;

const scheme = /^attachment:/i;
const vector = /^data:image\/svg\+xml/i;

/**
 * Resolves the addresses of "attachment:name". A missing picture is replaced by its alternative text, as is one with more
 * shapes than the page can paint; returns the number of the latter.
 */
export function resolvePictures(root: ParentNode, pictures: Pictures): number {
  let left = 0;
  let shapes = 0;
  for (const element of root.querySelectorAll("img")) {
    const source = element.getAttribute("src") ?? "";
    const name = source.replace(scheme, "");
    const address = scheme.test(source) ? (pictures.get(name) ?? pictures.get(decoded(name))) : source;
    if (address === undefined) {
      element.replaceWith(`[${element.getAttribute("alt") || decoded(name)}]`);
      continue;
    }
    const weight = weightOf(address);
    shapes += weight;
    if (weight > 0 && !isPaintable(shapes)) {
      element.replaceWith(`[${element.getAttribute("alt") || "picture"}]`);
      left++;
    } else if (scheme.test(source)) element.setAttribute("src", address);
  }
  return left;
}

/** Returns the number of shapes of a drawing; too many for a page if unknown. */
function weightOf(address: string): number {
  if (!vector.test(address)) return 0;
  const comma = address.indexOf(",");
  const data = address.slice(comma + 1);
  const svg = /;\s*base64\s*$/i.test(address.slice(0, comma)) ? bytes(data) : decoded(data);
  return paintShapes(svg);
}

function bytes(base64: string): string {
  try {
    return atob(decoded(base64).replace(/\s/g, ""));
  } catch {
    return ""; // not a picture
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
