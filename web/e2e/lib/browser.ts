import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Chromium as Debian has it. The first draws no window of its own around pages, and takes half the processor time of the other. */
const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Starts Chromium as it runs in a container without a display, a network or a GPU. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? programs.find((path) => existsSync(path)) ?? "chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // A process for each site and each sandboxed frame, as on people's desktops.
      "--site-per-process",
      // Chromium would otherwise block requests from a public page to a listener on this machine, and take processor time that
      // the tests need: for a process in advance for each site, and in each window for two pages of its own below the address
      // bar, which took a second for each user that a test makes.
      "--disable-features=LocalNetworkAccessChecks,SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    ],
  });
}

/** Opens a sign-in link, confirms it, and waits for the page that it leads to. */
export async function useLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#root > *").first().waitFor({ state: "attached" });
}

/** SignIn is the sign-in of a browser at one origin: its cookie, and the other half in the storage of the origin. */
export type SignIn = NonNullable<Exclude<BrowserContextOptions["storageState"], string>>;

/** User is a signed-in browser profile. */
export class User {
  readonly context: BrowserContext;
  /** The address of the server for this user, without a slash at the end. */
  readonly url: string;
  /** Uncaught errors of all pages, and reports of their content security policy. */
  readonly faults: string[] = [];

  private constructor(context: BrowserContext, url: string) {
    this.context = context;
    this.url = url;
  }

  /** Makes a profile, signed in if the options have the state of a sign-in. */
  static async start(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<User> {
    return new User(await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options }), url);
  }

  /** Makes a profile and signs it in on the sign-in page. */
  static async signIn(browser: Browser, url: string, link: string, options: BrowserContextOptions = {}): Promise<User> {
    const user = await User.start(browser, url, options);
    const page = await user.page();
    await useLink(page, link);
    await page.close();
    return user;
  }

  /** Opens a tab. */
  async page(): Promise<Page> {
    const page = await this.context.newPage();
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && /Content Security Policy|Uncaught/.test(message.text())) this.faults.push(message.text());
    });
    return page;
  }

  /** Opens a tab with a notebook, and waits until its first cell can be edited. */
  async open(notebook: string): Promise<Page> {
    const page = await this.page();
    await page.goto(`${this.url}/nb/${notebook}`);
    await page.locator('[contenteditable="true"]').first().waitFor();
    return page;
  }
}
