import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { code, importCells } from "./lib/ipynb.js";
import { world } from "./lib/world.js";

const { server, user, open } = world({ QUIRE_SANDBOX_AS_ROOT: "1" });

const works = spawnSync("bwrap", ["--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"]).status === 0;

test.skipIf(!works)("an imported notebook runs in the sandbox until its owner trusts it", async () => {
  const id = await importCells(server(), [code("import os\nprint('home:', os.environ['HOME'])")]);
  const ada = await user();
  const hers = await open(ada, id);
  await hers.page.getByText("This notebook came from elsewhere.").waitFor();
  expect(await server().quire("exec", id, "--all")).toContain("home: /tmp/home");
  await hers.page.getByRole("button", { name: "Trust…" }).click();
  await hers.page.getByRole("button", { name: "Trust and restart" }).click();
  await hers.page.getByText("This notebook came from elsewhere.").waitFor({ state: "detached" });
  await hers.page.getByText("Do you know what its code does?").waitFor({ state: "detached" });
  expect(await server().quire("exec", id, "--all")).not.toContain("home: /tmp/home");
  const again = await open(ada, id);
  await again.saved();
  expect(await again.page.getByText("This notebook came from elsewhere.").count()).toBe(0);
});
