/**
 * An agent on the OpenAI Agents SDK whose conversation stays inside its model's window, however long it works.
 *
 *     OPENAI_API_KEY=… node --conditions=longhaul-source examples/openai-agents/agent.ts "What is this project?"
 */
import { readFile } from 'node:fs/promises';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { createLonghaul, type LonghaulSession } from 'longhaul';
import { longhaulSession } from 'longhaul/adapters/openai-agents';
import { z } from 'zod';

/** A conversation with the agent; its history is in the session. */
export function createAgent({
  session,
  window,
  read = (path) => readFile(path, 'utf8'),
  ...provider
}: {
  readonly session: LonghaulSession;
  readonly window?: number;
  readonly read?: (path: string) => string | Promise<string>;
  readonly baseURL?: string;
  readonly apiKey?: string;
}) {
  const memory = longhaulSession(session, { ...(window !== undefined && { window }) });
  const runner = new Runner({
    modelProvider: new OpenAIProvider(provider),
    callModelInputFilter: memory.inputFilter,
    tracingDisabled: true,
  });
  const readTool = tool({
    name: 'read',
    description: 'Reads a file.',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => read(path),
  });
  const agent = new Agent({
    name: 'Engineer',
    instructions: 'You are a careful engineer.',
    model: 'gpt-4.1',
    tools: [readTool, memory.recallTool],
  });
  return {
    memory,
    runner,
    agent,
    async ask(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
      const options = { session: memory, maxTurns: 5_000, ...(signal && { signal }) };
      const { finalOutput } = await runner.run(agent, prompt, options);
      return finalOutput ?? '';
    },
  };
}

if (import.meta.main) {
  const opened = await createLonghaul({ dir: '.longhaul' });
  const agent = createAgent({ session: await opened.open('openai-agents-example') });
  console.log(await agent.ask(process.argv.slice(2).join(' ') || 'What is this project?'));
  await opened.close();
}
