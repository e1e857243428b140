import { existsSync, readFileSync } from "node:fs";
import type { Browser } from "playwright-core";

/** Where Debian, other systems and a variable have Chromium. */
const places = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The path of Chromium; undefined: there is none. */
export const chromiumPath = places.find((place) => place !== "" && existsSync(place));

/** Starts Chromium, for which the names of a hostile site lead to this machine. */
export async function startChromium(executablePath: string, names: readonly string[]): Promise<Browser> {
  // Loaded late: where no Chromium is, nothing needs it.
  const { chromium } = await import("playwright-core");
  const rules = names.map((name) => `MAP ${name} 127.0.0.1`).join(",");
  return chromium.launch({ executablePath, args: [`--host-resolver-rules=${rules}`, "--no-sandbox"] });
}

/** What a page is given. */
export interface Target {
  /** The address of Lookout as the page names it. */
  readonly url: string;
  /** Absent: the page has no token. */
  readonly token?: string;
}

/** One thing that a page tried. */
export interface Attempt {
  readonly name: string;
  /** What the page learned; absent: nothing. */
  readonly learned?: string;
}

const attempts = readFileSync(new URL("attempts.js", import.meta.url), "utf8");

/** Opens a page, and tries in it all that a page can do to a server. */
export async function attemptsOf(browser: Browser, page: string, target: Target): Promise<readonly Attempt[]> {
  const opened = await browser.newPage();
  await opened.goto(page);
  const found = await opened.evaluate(`${attempts}; tryAll(${JSON.stringify(target)})`);
  await opened.close();
  return found as readonly Attempt[];
}
