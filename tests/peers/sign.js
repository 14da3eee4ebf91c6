// Slack's signature of a request (https://docs.slack.dev/authentication/verifying-requests-from-slack):
//
//   node sign.js SECRET TIMESTAMP < BODY
const { createHmac } = require("node:crypto");
const { readFileSync } = require("node:fs");

const [secret, timestamp] = process.argv.slice(2);
const mac = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(readFileSync(0));
console.log(`v0=${mac.digest("hex")}`);
