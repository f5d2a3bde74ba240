import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook } = world();

test("a traceback shows the user's frames, folds those of libraries, and leads to the cells", async () => {
  const id = await notebook(
    "def load(text):\n    import json\n    return json.loads(text)",
    "open('beside_us.py', 'w').write('def apply(f, x):\\n    return f(x)\\n')\nimport beside_us\nbeside_us.apply(load, '{')",
  );
  const hers = await open(await user(), id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  await hers.run(2);
  await hers.says(2, /failed/);
  const error = hers.cell(2).getByRole("group", { name: "Error: JSONDecodeError" });
  await eventually(
    () => error.innerText(),
    (text) => text.includes("return json.loads(text)"),
    "the last own frame",
  );
  const shown = await error.innerText();
  expect(shown).toContain("beside_us.apply(load, '{')");
  expect(shown).toMatch(/beside_us\.py", line 2, in apply/);
  expect(shown).not.toContain("decoder.py");
  await error.getByRole("button", { name: /^\d library frames$/ }).click();
  await expect.poll(() => error.innerText()).toContain("decoder.py");
  await error.getByRole("button", { name: "Cell In[1], line 3" }).click();
  const line = (): Promise<string> =>
    hers.page.evaluate(() => {
      const { anchorNode } = document.getSelection() ?? {};
      return (anchorNode instanceof Element ? anchorNode : anchorNode?.parentElement)?.closest(".cm-line")?.textContent ?? "";
    });
  await eventually(line, (text) => text === "    return json.loads(text)", "the caret is in the line");
});

test("the traceback of endless recursion is short", async () => {
  const id = await notebook("def a(n): return b(n)\ndef b(n): return a(n)\na(0)");
  const hers = await open(await user(), id);
  await hers.run(1);
  await hers.says(1, /failed/);
  const error = hers.cell(1).getByRole("group", { name: "Error: RecursionError" });
  await error.getByRole("button", { name: /^\d{3,} frames$/ }).waitFor();
  expect(await error.count()).toBe(1); // a scrolling box around it would be a second group
});

test("an interrupt is shown as an error only if the program raised it", async () => {
  const id = await notebook("import time\nprint('be' + 'gun', flush=True)\ntime.sleep(60)", "raise KeyboardInterrupt");
  const hers = await open(await user(), id);
  await hers.run(1);
  await hers.shows(1, "begun");
  await hers.run(2);
  await hers.cell(1).getByRole("button", { name: /^Stop/ }).click();
  await hers.says(1, /stopped after/);
  await hers.says(2, /failed/);
  expect(
    await hers
      .cell(1)
      .getByRole("group", { name: /^Error/ })
      .count(),
  ).toBe(0);
  await hers.page.reload();
  await hers.cell(1).getByRole("button", { name: "Stopped on request" }).click();
  await hers.shows(1, "time.sleep(60)");
  await hers.cell(2).getByRole("group", { name: "Error: KeyboardInterrupt" }).waitFor();
});
