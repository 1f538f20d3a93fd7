import { ChatAnthropic } from '@langchain/anthropic';
import {
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { call, system, tools } from './tools.mjs';

/** LangChain's agent with its model classes. */
export const agents = {
  'langchain-openai': (input) => runAgent({ ...input, model: new ChatOpenAI({ model: 'gpt-4.1' }) }),
  'langchain-responses': (input) =>
    runAgent({
      ...input,
      model: new ChatOpenAI({
        model: 'gpt-5.2',
        useResponsesApi: true,
        reasoning: { effort: 'low' },
        zdrEnabled: true,
        modelKwargs: { include: ['reasoning.encrypted_content'] },
      }),
    }),
  'langchain-anthropic': (input) =>
    runAgent({
      ...input,
      model: new ChatAnthropic({
        model: 'claude-sonnet-4-5',
        anthropicApiUrl: process.env.ANTHROPIC_BASE_URL,
        maxTokens: 4000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
        streaming: true,
      }),
    }),
};

async function runAgent({ prompt, history = [], model }) {
  const agent = createAgent({
    model,
    systemPrompt: system,
    tools: tools.map(({ name, description, zod }) =>
      tool((input) => call({ name, input }), { name, description, schema: zod }),
    ),
  });
  const messages = [...mapStoredMessagesToChatMessages(history), new HumanMessage(prompt)];
  const result = await agent.invoke({ messages }, { recursionLimit: 250 });
  return { text: result.messages.at(-1).text, history: mapChatMessagesToStoredMessages(result.messages) };
}
