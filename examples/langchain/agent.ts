/**
 * An agent on LangChain whose threads stay inside their model's window, however long they get.
 *
 *     OPENAI_API_KEY=… node --conditions=longhaul-source examples/langchain/agent.ts "What is this project?"
 */
import { readFile } from 'node:fs/promises';
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent as createLangChainAgent, tool } from 'langchain';
import { createLonghaul } from 'longhaul';
import { longhaulMiddleware } from 'longhaul/adapters/langchain';
import { z } from 'zod';

/** A thread of the agent; LangGraph's checkpointer keeps its whole history. */
export function createAgent({
  model,
  sessions,
  thread,
  window,
  read = (path) => readFile(path, 'utf8'),
}: {
  readonly model: ChatOpenAI;
  readonly sessions: Parameters<typeof longhaulMiddleware>[0];
  readonly thread: string;
  readonly window?: number;
  readonly read?: (path: string) => string | Promise<string>;
}) {
  const readTool = tool(({ path }: { path: string }) => read(path), {
    name: 'read',
    description: 'Reads a file.',
    schema: z.object({ path: z.string() }),
  });
  const agent = createLangChainAgent({
    model,
    tools: [readTool],
    systemPrompt: 'You are a careful engineer.',
    middleware: [longhaulMiddleware(sessions, { ...(window !== undefined && { window }) })],
    checkpointer: new MemorySaver(),
  });
  const configurable = { thread_id: thread };
  return {
    agent,
    async ask(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
      const input = { messages: [{ role: 'user', content: prompt }] };
      const config = { configurable, recursionLimit: 5_000, ...(signal && { signal }) };
      const { messages } = await agent.invoke(input, config);
      return messages.at(-1)?.text ?? '';
    },
  };
}

if (import.meta.main) {
  const sessions = await createLonghaul({ dir: '.longhaul' });
  const model = new ChatOpenAI({ model: 'gpt-4.1' });
  const agent = createAgent({ model, sessions, thread: 'langchain-example' });
  console.log(await agent.ask(process.argv.slice(2).join(' ') || 'What is this project?'));
  await sessions.close();
}
