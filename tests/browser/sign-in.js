// Signs in with Slack, looks around, and signs out.
//
//   node sign-in.js ORIGIN CHROMIUM FOLDER NAME CHANNEL
//
// ORIGIN is the page of a team. Slack lets NAME sign in, who sees the private CHANNEL. Prints what is wrong, and fails if
// anything is.

import { check, end, launch, look } from "./browser.js";

const [origin, executablePath, , name, channel] = process.argv.slice(2);
const browser = await launch(executablePath);
const context = await browser.newContext({ locale: "en-GB", viewport: { width: 360, height: 700 } });
const page = await context.newPage();

await page.goto(`${origin}/workspace`);
check((await page.getByText(channel).count()) === 0, "somebody who is not signed in sees a channel");
await look(page, "the way in");
await page.getByRole("link", { name: "Sign in with Slack" }).click();
await page.getByRole("link", { name }).click();

// The browser goes on by itself, with the cookie that it does not send with Slack's request.
await page.waitForURL(`${origin}/workspace`);
check(await page.getByRole("link", { name: `#${channel}` }).isVisible(), "the person's channels are there");

await page.getByRole("link", { name: "You", exact: true }).click();
await page.getByText(name).waitFor();
await page.getByLabel("What uses it").fill("tablet");
await page.getByRole("button", { name: "Make a token" }).click();
await page.getByText("Authorization: Bearer myao_").waitFor();
await look(page, "a new token");
await page.getByRole("link", { name: "You", exact: true }).click();
await look(page, "one's own page");
await page.getByRole("button", { name: "Take back tablet" }).click();
await page.getByText("tablet").waitFor({ state: "detached" });

// A link on another site leads there with one more click.
const other = await context.newPage();
await other.setContent(`<a href="${origin}/workspace">memory</a>`);
await other.getByRole("link", { name: "memory" }).click();
await other.getByRole("link", { name: "Workspace" }).click();
await other.getByRole("link", { name: `#${channel}` }).waitFor();

await page.getByRole("button", { name: "Sign out" }).click();
await page.getByRole("link", { name: "Sign in with Slack" }).waitFor();
await end(browser);
