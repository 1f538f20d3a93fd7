#!/usr/bin/env node
/**
 * `sdk-agent NAME PROMPT [--continue]`: a small agent on an official SDK, at the addresses in the usual variables. The
 * history is kept in a file, so that a second process can continue the conversation.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [name = '', prompt = '', flag] = process.argv.slice(2);
const families = {
  aisdk: './ai-sdk.mjs',
  anthropic: './providers.mjs',
  claude: './claude-agent.mjs',
  genai: './providers.mjs',
  langchain: './langchain.mjs',
  openai: name.startsWith('openai-agents') ? './openai-agents.mjs' : './providers.mjs',
};
const { agents } = await import(families[name.split('-')[0]]);
const path = join(process.env.HOME, `${name}.json`);
const isContinued = flag === '--continue' && existsSync(path);
const history = isContinued ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
const { text, history: kept } = await agents[name]({ prompt, history });
writeFileSync(path, JSON.stringify(kept));
console.log(text);
process.exit();
