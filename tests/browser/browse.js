// Goes through the page as somebody new does: with a mouse, with a keyboard, on a phone, in the dark.
//
//   node browse.js LINK CHROMIUM FOLDER
//
// LINK is what `myao serve` printed, over the demo's workspace. Pictures are put into FOLDER. Prints what is wrong, and
// fails if anything is.

import { check, end, faults, launch, look } from "./browser.js";

const [link, executablePath, folder] = process.argv.slice(2);
const browser = await launch(executablePath);
const context = await browser.newContext({ locale: "en-GB", javaScriptEnabled: false, viewport: { width: 1000, height: 720 } });
const origin = new URL(link).origin;
context.on("request", (request) => {
  check(request.url().startsWith(`${origin}/`), `fetched from elsewhere: ${request.url()}`);
});
const page = await context.newPage();
page.on("console", (message) => faults.push(`the console says: ${message.text()}`));

// What was decided about the monitoring tool, who decided it, the message, and how the memory came to say so.
await page.goto(link);
check(page.url() === `${origin}/workspace`, `the link leads to ${page.url()}`);
await page.screenshot({ path: `${folder}/workspace.png`, fullPage: true });
await page.getByRole("link", { name: "#general" }).click();
const decided = "監視ツールは Beacon に決めます。";
check(await page.getByText(decided).first().isVisible(), "the channel shows what was decided");
const step = page.locator("ol.timeline > li", { has: page.locator("ins", { hasText: decided }) }).first();
check(await step.isVisible(), "the timeline shows when the memory began to say it");
await page.screenshot({ path: `${folder}/channel.png` });
await step.getByRole("link").first().click();
const line = page.locator("details", { has: page.locator("summary", { hasText: decided }) });
await line.locator("summary").click();
const message = line.locator("li").first();
check(await message.getByText("年払い 税込 750,200円").isVisible(), "the line shows the message");
check(await message.getByText("fumi").first().isVisible(), "the message shows who decided");
check(await message.getByText("2026-03-05 16:02").isVisible(), "the message shows when");
const ofMessage = await message.locator('a[href^="/message/"]').getAttribute("href");
await line.scrollIntoViewIfNeeded();
await page.screenshot({ path: `${folder}/version.png` });
const version = page.url();

// With the keyboard alone: the first stop leads past the navigation, a line opens.
await page.keyboard.press("Tab");
await page.goto(version);
await page.keyboard.press("Tab");
check(await page.getByText("Skip to the content").isVisible(), "the first stop is the skip link");
await page.keyboard.press("Enter");
for (let stop = 0; stop < 40 && !(await line.locator("summary:focus").count()); stop++) {
  await page.keyboard.press("Tab");
}
await page.keyboard.press("Enter");
check((await line.getAttribute("open")) !== null, "a line opens with the keyboard");

// Each page, in both schemes and on a phone.
// One for each of host/page/src/route.rs, and what is shown where there is none.
const pages = [
  "/workspace", "/channel/C07GENERAL1", ofMessage, new URL(version).pathname, "/search?q=Beacon", "/ask?q=Beacon", "/answers", "/upkeep", "/nothing",
];
const state = await context.storageState();
for (const colorScheme of ["light", "dark"]) {
  const seen = await browser.newContext({ locale: "ja", colorScheme, storageState: state, viewport: { width: 360, height: 700 } });
  const phone = await seen.newPage();
  for (const path of pages) {
    await phone.goto(origin + path);
    await look(phone, `${path} (${colorScheme})`);
  }
  await phone.goto(`${origin}/channel/C07GENERAL1`);
  await phone.screenshot({ path: `${folder}/phone-${colorScheme}.png` });
  await seen.close();
}
await end(browser);
