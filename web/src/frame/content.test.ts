import { afterEach, expect, test } from "vitest";
import { showHTML, showJavaScript } from "./content.js";

afterEach(() => document.body.replaceChildren());

test("scripts are made anew, and what is none stays as it is", async () => {
  await showHTML('<p>text</p><script id="a" data-x="1">let a = "<b>"</script><script type="application/json" id="b">{}</script>', document.body);
  expect(document.body.querySelector("p")?.textContent).toBe("text");
  const script = document.getElementById("a");
  expect(script?.textContent).toBe('let a = "<b>"');
  expect(script?.getAttribute("data-x")).toBe("1");
  expect(document.getElementById("b")?.textContent).toBe("{}");
});

test("other content takes the place of what was there", async () => {
  await showHTML("<p>one</p>", document.body);
  await showHTML("<p>two</p>", document.body);
  expect(document.body.textContent).toBe("two");
  await showJavaScript("void 0", document.body);
  expect(document.body.querySelectorAll("p").length).toBe(0);
  expect(Reflect.get(window, "element")).toBe(document.body);
});
