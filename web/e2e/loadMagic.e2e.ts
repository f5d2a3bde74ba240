import { test } from "vitest";
import { eventually, type NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook } = world();

const asked = "%load file.py";
const loaded = "# %load file.py\nx = 1\ny = 2\n";

/** The keys of undo and redo in an editor and in command mode. */
const ways = [
  { mode: "the text", undo: "Control+z", redo: "Control+y", enter: (hers: NotebookPage) => hers.editor(2).click() },
  { mode: "command mode", undo: "z", redo: "Shift+Z", enter: (hers: NotebookPage) => hers.page.keyboard.press("Escape") },
];

test.each(ways)("the source from %load is undone and redone by one key in $mode, while another user types", async ({ undo, redo, enter }) => {
  const id = await notebook(`n = open("file.py", "w").write("x = 1\\ny = 2\\n")`, asked, "his");
  await server().quire("exec", id, "--cell", "@1");
  const [ada, bob] = await Promise.all([user(), user()]);
  const [hers, his] = await Promise.all([open(ada, id), open(bob, id)]);
  await his.editor(3).click();
  await his.page.keyboard.press("Control+End");
  let typed = "his";
  const meanwhile = async (does: () => Promise<void>, source: string): Promise<void> => {
    typed += " words";
    await Promise.all([does(), his.page.keyboard.type(" words", { delay: 30 })]);
    for (const side of [hers, his]) {
      await eventually(
        () => side.sources(),
        (all) => all[1] === source && all[2] === typed,
        `${JSON.stringify(source)} and ${JSON.stringify(typed)} are there`,
      );
      await side.saved();
    }
  };
  await meanwhile(() => hers.run(2), loaded);
  await hers.says(2, /ran in/);
  await enter(hers);
  await meanwhile(() => hers.page.keyboard.press(undo), asked);
  await meanwhile(() => hers.page.keyboard.press(redo), loaded);
  await meanwhile(() => hers.page.keyboard.press(undo), asked);
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes(asked) && shown.includes(typed) && !shown.includes("y = 2\n"),
    "the log has the undone source",
  );
});
