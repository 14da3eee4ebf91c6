// An agent: starts a server of the Model Context Protocol with the TypeScript SDK, and calls tools of it.
//
//   node agent.js FOLDER CALLS COMMAND [ARGUMENT…]
//   node agent.js FOLDER CALLS http://ADDRESS/mcp TOKEN
//
// FOLDER has the SDK in its node_modules. CALLS is JSON: [[tool, arguments], …]. Prints JSON: {tools, results}.
'use strict';
const { createRequire } = require('node:module');
const path = require('node:path');

const [folder, calls, command, ...args] = process.argv.slice(2);
const sdk = createRequire(path.join(path.resolve(folder), 'package.json'));
const { Client } = sdk('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = sdk('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = sdk('@modelcontextprotocol/sdk/client/streamableHttp.js');

function transport() {
  if (!command.startsWith('http://')) return new StdioClientTransport({ command, args });
  const headers = { Authorization: `Bearer ${args[0]}` };
  return new StreamableHTTPClientTransport(new URL(command), { requestInit: { headers } });
}

async function main() {
  const client = new Client({ name: 'agent', version: '0' });
  await client.connect(transport());
  const { tools } = await client.listTools();
  const results = [];
  for (const [name, values] of JSON.parse(calls)) {
    results.push(await client.callTool({ name, arguments: values }));
  }
  await client.close();
  console.log(JSON.stringify({ server: client.getServerVersion(), tools, results }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
