// What the scripts share: a browser, what is wrong, and accessibility.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const faults = [];

export function check(isRight, what) {
  if (!isRight) faults.push(what);
}

// The program itself, started without anything that it does in the background.
export const launch = (executablePath) =>
  chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

// What axe-core finds on a page, and whether it fits its window.
export async function look(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  for (const { id, nodes } of violations) {
    faults.push(`${what}: ${id}: ${nodes.map(({ html }) => html).join(" ").slice(0, 300)}`);
  }
  const [width, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(width <= window, `${what} is ${width} pixels wide in a window of ${window}`);
}

// Says what is wrong.
export async function end(browser) {
  await browser.close();
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
