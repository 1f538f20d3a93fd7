import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { call, system, tools } from './tools.mjs';

/** OpenAI Agents with both of its protocols. */
export const agents = {
  'openai-agents': (input) => runAgent({ ...input, api: 'responses' }),
  'openai-agents-chat': (input) => runAgent({ ...input, api: 'chat_completions' }),
};

async function runAgent({ prompt, history = [], api }) {
  setTracingDisabled(true);
  setDefaultOpenAIClient(new OpenAI());
  setOpenAIAPI(api);
  const agent = new Agent({
    name: 'notes',
    instructions: system,
    model: 'gpt-5.2',
    tools: tools.map(({ name, description, zod }) =>
      tool({ name, description, parameters: zod, execute: (input) => call({ name, input }) }),
    ),
  });
  const result = await run(agent, [...history, { role: 'user', content: prompt }], { maxTurns: 100 });
  return { text: result.finalOutput, history: result.history };
}
