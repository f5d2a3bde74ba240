// @vitest-environment node
import { expect, test } from "vitest";
import { workOf } from "../../../test/workOf.js";
import { weightOf } from "./svgWeight.js";

const svg = (inside: string): string => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inside}</svg>`;

/** Returns groups that each use the one before ten times: ten to the power of their number of shapes. */
function bomb(levels: number, use = (id: string) => `<use href="#${id}"/>`): string {
  return svg(`<rect id="g0"/>${Array.from({ length: levels }, (_, i) => `<g id="g${i + 1}">${use(`g${i}`).repeat(10)}</g>`).join("")}`);
}

test("shapes are counted as often as they are used", () => {
  expect(weightOf(svg("<rect/><circle/>")).shapes).toBe(3);
  expect(weightOf(bomb(1)).shapes).toBeGreaterThan(10);
  expect(weightOf(bomb(9)).shapes).toBeGreaterThan(1e9);
  expect(weightOf(bomb(300)).shapes).toBeGreaterThan(1e9);
});

test.each<[string, string]>([
  ["xlink:href", bomb(9, (id) => `<use xlink:href='#${id}'/>`)],
  ["a prefix of its own", bomb(9, (id) => `<s:use href = "#${id}"></s:use>`)],
  ["clip paths", bomb(9, (id) => `<path clip-path="url(#${id})"/>`)],
  ["clip paths in a style", bomb(9, (id) => `<path style="clip-path:url('#${id}')"/>`)],
  ["a sign of a tag in a value", bomb(9, (id) => `<use class=">" href="#${id}"/>`)],
  ["comments between", bomb(9, (id) => `<!-- " --><use href="#${id}"/>`)],
])("what is used by %s is counted", (_, text) => {
  expect(weightOf(text).shapes).toBeGreaterThan(1e9);
});

test("what uses itself is counted once, and elements that are too deep are too many", () => {
  expect(weightOf(svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>')).shapes).toBeLessThan(20);
  expect(weightOf(svg("<g>".repeat(10_000))).shapes).toBe(Number.POSITIVE_INFINITY);
  expect(weightOf(svg(Array.from({ length: 5000 }, (_, i) => `<g id="g${i}"><use href="#g${i + 1}"/></g>`).join(""))).shapes).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  "<filter id='f'><feTurbulence numOctaves='99'/></filter>",
  "<pattern id='p'/>",
  "<mask/>",
  "<marker/>",
  "<animate/>",
  "<s:filter/>",
  "<image href='data:image/svg+xml,x'/>",
  "<style>* { filter: blur(9px) }</style>",
  "<path stroke-dasharray='0.001'/>",
  "<use href='&#35;a'/>",
])("%s has a cost that is not known", (inside) => {
  expect(weightOf(svg(inside)).isHard).toBe(true);
});

test("an entity has a cost that is not known, and what programs plot has none", () => {
  expect(weightOf(`<!DOCTYPE svg [<!ENTITY a "b">]>${svg("")}`).isHard).toBe(true);
  const plot = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">${svg(`<defs><style>*{stroke-linejoin: round}</style><path id="m" d="M 0 0"/></defs><g clip-path="url(#c)">${'<use xlink:href="#m" x="1" style="fill: #1f77b4; stroke-dasharray: 3.7,1.6"/>'.repeat(5000)}</g><clipPath id="c"><rect/></clipPath>`)}`;
  expect(weightOf(plot).isHard).toBe(false);
  expect(weightOf(plot).shapes).toBeLessThan(20_000);
});

test.each([
  ["tags that do not end", '<a "'.repeat(250_000)],
  ["comments that do not end", "<!--".repeat(250_000)],
  ["names", `<a ${"id='x' ".repeat(150_000)}>`],
  ["many elements that use one", svg(`<g id="a">${'<use href="#b"/>'.repeat(50_000)}</g>`)],
])("%s take no more time than their length", (_, text) => {
  expect(workOf(() => weightOf(text))).toBeLessThan(5000);
});
