#!/usr/bin/env node
/**
 * An agent on the Claude Agent SDK with the memory of its own conversations. Run `longhaul install claude` in the folder
 * first: the SDK then starts the MCP server and the hooks that it wrote, because the settings of the project are read.
 *
 * @example
 * longhaul install claude && node agent.mjs "Read the notes and report."
 */
import { query } from '@anthropic-ai/claude-agent-sdk';

const [prompt = 'What did we decide earlier?'] = process.argv.slice(2);
const options = {
  settingSources: ['project', 'local'],
  // The servers of .mcp.json are off until they are allowed.
  settings: { enabledMcpjsonServers: ['longhaul'] },
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
};
for await (const message of query({ prompt, options })) if (message.type === 'result') console.log(message.result);
