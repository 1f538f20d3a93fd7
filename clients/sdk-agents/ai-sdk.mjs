import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, jsonSchema, streamText, tool } from 'ai';
import { call, system, tools } from './tools.mjs';

const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY } = process.env;

const openai = () => createOpenAI({ baseURL: OPENAI_BASE_URL });
const reasoning = { reasoningEffort: 'low', include: ['reasoning.encrypted_content'] };

/** AI SDK with its providers. */
export const agents = {
  'aisdk-responses': (input) =>
    runAgent({ ...input, model: openai()('gpt-5.2'), providerOptions: { openai: { ...reasoning, store: false } } }),
  // The provider keeps the items; the requests refer to them by id.
  'aisdk-store': (input) => runAgent({ ...input, model: openai()('gpt-5.2'), providerOptions: { openai: reasoning } }),
  'aisdk-chat': (input) => runAgent({ ...input, model: openai().chat('gpt-4.1') }),
  'aisdk-compat': (input) =>
    runAgent({
      ...input,
      model: createOpenAICompatible({ name: 'local', apiKey: OPENAI_API_KEY, baseURL: OPENAI_BASE_URL })('local-model'),
    }),
  'aisdk-anthropic': (input) =>
    runAgent({
      ...input,
      model: createAnthropic({ baseURL: `${ANTHROPIC_BASE_URL}/v1` })('claude-sonnet-4-5'),
      providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    }),
  'aisdk-google': (input) =>
    runAgent({
      ...input,
      model: createGoogleGenerativeAI({ apiKey: GEMINI_API_KEY, baseURL: `${GOOGLE_GEMINI_BASE_URL}/v1beta` })(
        'gemini-2.5-pro',
      ),
      providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
    }),
};

async function runAgent({ prompt, history = [], model, providerOptions }) {
  const messages = [...history, { role: 'user', content: prompt }];
  const result = streamText({
    model,
    instructions: system,
    messages,
    tools: Object.fromEntries(
      tools.map(({ name, description, schema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(schema), execute: async (input) => call({ name, input }) }),
      ]),
    ),
    stopWhen: isStepCount(100),
    ...(providerOptions && { providerOptions }),
    onError: ({ error }) => {
      throw error;
    },
  });
  await result.consumeStream();
  return { text: await result.text, history: [...messages, ...(await result.responseMessages)] };
}
