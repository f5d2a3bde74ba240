import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook } = world();

test("the panel lists the variables and is updated after each run", async () => {
  const id = await notebook("names = ['ada', 'bob']\ntotal = 42", "total = 43");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.editor(1).click();
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("Shift+I");
  const panel = hers.page.getByRole("complementary", { name: "Variables" });
  await panel.getByText("Nothing runs yet.").waitFor();
  await eventually(
    () => panel.getByRole("textbox", { name: "Filter" }).evaluate((field) => field === document.activeElement),
    (yes) => yes,
    "the filter has the focus",
  );
  await hers.run(1);
  await eventually(
    () => panel.getByRole("listitem").allInnerTexts(),
    (rows) => rows.length === 2,
    "both variables are listed",
  );
  await eventually(
    () => panel.getByRole("listitem").nth(1).innerText(),
    (text) => text.includes("42"),
    "with their values",
  );
  const [names, total] = await panel.getByRole("listitem").allInnerTexts();
  expect(names).toMatch(/names\s+list 2 items\s+\['ada', 'bob'\]/);
  expect(total).toMatch(/total\s+int\s+42/);
  await hers.run(2);
  await eventually(
    () => panel.getByRole("listitem").nth(1).innerText(),
    (text) => text.includes("43"),
    "the new value",
  );
  await panel.getByRole("textbox", { name: "Filter" }).fill("LIST");
  await eventually(
    () => panel.getByRole("listitem").count(),
    (n) => n === 1,
    "one variable is listed",
  );
  await hers.page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
});
