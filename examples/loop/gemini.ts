/** A loop of your own on `@google/genai`: `prepare` before each request, `commit` after it. */
import type { GenerateContentParameters, GoogleGenAI } from '@google/genai';
import type { LonghaulSession } from 'longhaul';
import { createRecallTool } from 'longhaul/engine';
import { codecs, type Message, toolResult, user, writeRequest } from 'longhaul/message';
import { classifyFailure, modelInfo, readUsage } from 'longhaul/models';
import { estimateTokens } from 'longhaul/tokens';

const dialect = 'gemini';
const name = 'gemini-2.5-pro';
const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const read = { name: 'read', description: 'Reads a file.', inputSchema };

export function createAgent(input: {
  readonly client: GoogleGenAI;
  readonly session: LonghaulSession;
  readonly read: (path: string) => string | Promise<string>;
  readonly window?: number;
}) {
  const { client, session, window } = input;
  const info = modelInfo({ name });
  const model = {
    id: { provider: 'google', name },
    dialect,
    info: { ...info, window: window ?? info.window },
  } as const;
  const recall = createRecallTool({ session: session.engine.session, count: estimateTokens });
  return {
    async ask(prompt: string): Promise<string> {
      recall.beginTurn();
      let messages: Message[] = [user(prompt)];
      while (true) {
        const tools = [read, recall.definition];
        const request = await session.prepare({ model, system: 'You are a careful engineer.', messages, tools });
        const conversation = { head: request.head, messages: request.items, tools: request.tools };
        const body = writeRequest({ dialect, conversation });
        messages = [];
        try {
          const { contents, ...config } = body;
          const answer = await client.models.generateContent({
            model: name,
            contents,
            config,
          } as GenerateContentParameters);
          const parts = codecs[dialect]
            .decode(answer.candidates?.map(({ content }) => content) ?? [])
            .flatMap((message) => message.parts);
          const usage = readUsage({ dialect, value: answer.usageMetadata });
          await session.commit({ message: { role: 'assistant', parts }, ...(usage && { usage }) });
          const calls = parts.filter((part) => part.type === 'tool_call');
          if (calls.length === 0) return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
          for (const call of calls) {
            const text =
              call.name === 'read' ? await input.read(JSON.parse(call.arguments).path) : await recall.run(call);
            messages.push(toolResult({ callId: call.id, text }));
          }
        } catch (error) {
          const { retry } = await session.commit({ failure: classifyFailure({ error, dialect }) });
          if (!retry) throw error; // Otherwise it was too long, and the next request is smaller.
        }
      }
    },
  };
}
