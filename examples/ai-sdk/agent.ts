/**
 * An agent on the AI SDK whose conversation stays inside its model's window, however long it works.
 *
 *     OPENAI_API_KEY=… node --conditions=longhaul-source examples/ai-sdk/agent.ts "What is this project?"
 */
import { readFile } from 'node:fs/promises';
import { createOpenAI } from '@ai-sdk/openai';
import { type LanguageModel, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { createLonghaul, type LonghaulSession } from 'longhaul';
import { longhaul, recallTool } from 'longhaul/adapters/ai-sdk';
import { z } from 'zod';

/** A conversation with the agent; the AI SDK keeps its whole history. */
export function createAgent({
  model,
  session,
  window,
  read = (path) => readFile(path, 'utf8'),
}: {
  readonly model: Exclude<LanguageModel, string>;
  readonly session: LonghaulSession;
  readonly window?: number;
  readonly read?: (path: string) => string | Promise<string>;
}) {
  const messages: ModelMessage[] = [];
  const middleware = longhaul(session, { ...(window !== undefined && { window }) });
  const tools = {
    recall: recallTool(session),
    read: tool({
      description: 'Reads a file.',
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => read(path),
    }),
  };
  return {
    async ask(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
      const result = streamText({
        model: wrapLanguageModel({ model, middleware }),
        system: 'You are a careful engineer.',
        messages: [...messages, { role: 'user', content: prompt }],
        tools,
        stopWhen: stepCountIs(1_000),
        maxRetries: 0,
        ...(signal && { abortSignal: signal }),
        onError: () => undefined,
      });
      const text = await result.text;
      messages.push({ role: 'user', content: prompt }, ...(await result.responseMessages));
      return text;
    },
  };
}

if (import.meta.main) {
  const opened = await createLonghaul({ dir: '.longhaul' });
  const agent = createAgent({
    model: createOpenAI({})('gpt-4.1'),
    session: await opened.open('ai-sdk-example'),
  });
  console.log(await agent.ask(process.argv.slice(2).join(' ') || 'What is this project?'));
  await opened.close();
}
