/**
 * An agent on Mastra whose threads stay inside their model's window, however long they get.
 *
 *     npm --prefix examples/mastra ci --ignore-scripts
 *     OPENAI_API_KEY=… node --conditions=longhaul-source examples/mastra/agent.ts "What is this project?"
 */
import { readFile } from 'node:fs/promises';
import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { createLonghaul } from 'longhaul';
import { longhaulProcessor } from 'longhaul/adapters/mastra';
import { z } from 'zod';

/** A thread of the agent; Mastra's memory keeps its whole history. */
export function createAgent({
  sessions,
  thread,
  window,
  url,
  apiKey = process.env.OPENAI_API_KEY ?? '',
  read = (path) => readFile(path, 'utf8'),
}: {
  readonly sessions: Parameters<typeof longhaulProcessor>[0];
  readonly thread: string;
  readonly window?: number;
  readonly url?: string;
  readonly apiKey?: string;
  readonly read?: (path: string) => string | Promise<string>;
}) {
  const processor = longhaulProcessor(sessions, { ...(window !== undefined && { window }) });
  const readTool = createTool({
    id: 'read',
    description: 'Reads a file.',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => await read(path),
  });
  const agent = new Agent({
    id: 'engineer',
    name: 'Engineer',
    instructions: 'You are a careful engineer.',
    model: { id: 'openai/gpt-4.1', apiKey, ...(url !== undefined && { url }) },
    tools: { read: readTool, recall: processor.recallTool },
    inputProcessors: [processor],
    errorProcessors: [processor],
    // Kept in this process. `Memory` of @mastra/memory takes the same options.
    memory: new MockMemory({ options: { lastMessages: 100_000 } }),
    maxRetries: 0,
  });
  return {
    agent,
    async ask(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
      const result = await agent.generate(prompt, {
        memory: { thread, resource: 'example' },
        maxSteps: 5_000,
        ...(signal && { abortSignal: signal }),
      });
      if (result.error) throw result.error;
      return result.text;
    },
  };
}

if (import.meta.main) {
  const sessions = await createLonghaul({ dir: '.longhaul' });
  const agent = createAgent({ sessions, thread: 'mastra-example' });
  console.log(await agent.ask(process.argv.slice(2).join(' ') || 'What is this project?'));
  await sessions.close();
}
