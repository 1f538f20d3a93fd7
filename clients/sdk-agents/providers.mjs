import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { call, system, tools } from './tools.mjs';

/** Loops on the SDKs of the providers, each with the echo that its documentation shows. */
export const agents = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-previd': openaiPreviousResponse,
  anthropic,
  'anthropic-thread': anthropicThread,
  genai,
};

/** Streams, and sends back the message that the helper put together. */
async function openaiChat({ prompt, history = [{ role: 'system', content: system }] }) {
  const client = new OpenAI();
  const messages = [...history, { role: 'user', content: prompt }];
  const declared = tools.map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  }));
  for (;;) {
    const stream = client.chat.completions.stream({ model: 'gpt-4.1', messages, tools: declared });
    const { message } = (await stream.finalChatCompletion()).choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return { text: message.content, history: messages };
    for (const { id, function: made } of message.tool_calls)
      messages.push({
        role: 'tool',
        tool_call_id: id,
        content: call({ name: made.name, input: JSON.parse(made.arguments) }),
      });
  }
}

const responseTools = tools.map(({ name, description, schema }) => ({
  type: 'function',
  name,
  description,
  parameters: schema,
  strict: false,
}));

function outputs(response) {
  return response.output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id, name, arguments: text }) => ({
      type: 'function_call_output',
      call_id,
      output: call({ name, input: JSON.parse(text) }),
    }));
}

/** Without a stream and without state at the provider: sends back all output items. */
async function openaiResponses({ prompt, history = [] }) {
  const client = new OpenAI();
  const input = [...history, { role: 'user', content: prompt }];
  for (;;) {
    const response = await client.responses.create({
      model: 'gpt-5.2',
      instructions: system,
      input,
      tools: responseTools,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
    });
    const results = outputs(response);
    input.push(...response.output, ...results);
    if (results.length === 0) return { text: response.output_text, history: input };
  }
}

/** With state at the provider: only what is new is sent. */
async function openaiPreviousResponse({ prompt, history }) {
  const client = new OpenAI();
  let [input, previous] = [[{ role: 'user', content: prompt }], history];
  for (;;) {
    const response = await client.responses.create({
      model: 'gpt-5.2',
      instructions: system,
      input,
      tools: responseTools,
      store: true,
      ...(previous !== undefined && { previous_response_id: previous }),
      reasoning: { effort: 'low' },
    });
    previous = response.id;
    input = outputs(response);
    if (input.length === 0) return { text: response.output_text, history: previous };
  }
}

async function anthropic({ prompt, history = [] }) {
  const client = new Anthropic();
  const messages = [...history, { role: 'user', content: prompt }];
  const declared = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
  for (;;) {
    const stream = client.messages.stream({
      model: 'claude-sonnet-4-5',
      max_tokens: 4000,
      system,
      messages,
      tools: declared,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
    const { content } = await stream.finalMessage();
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return { text: content.at(-1).text, history: messages };
    messages.push({
      role: 'user',
      content: calls.map(({ id, name, input }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: call({ name, input }),
      })),
    });
  }
}

/** The tool runner, in a thread that the provider holds: only what is new is sent. */
async function anthropicThread({ prompt, history = [] }) {
  const runnable = tools.map(({ name, description, schema, run }) => ({
    name,
    description,
    input_schema: schema,
    parse: (input) => input,
    run,
  }));
  const runner = new Anthropic().beta.messages.toolRunner({
    model: 'claude-sonnet-4-5',
    max_tokens: 4000,
    max_iterations: 100,
    system,
    messages: [...history, { role: 'user', content: prompt }],
    tools: runnable,
  });
  const { content } = await runner;
  return { text: content.at(-1).text, history: runner.params.messages };
}

/** The chat object of the SDK keeps the history, with one content per chunk of a stream. */
async function genai({ prompt, history = [] }) {
  const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });
  const functionDeclarations = tools.map(({ name, description, schema }) => ({
    name,
    description,
    parametersJsonSchema: schema,
  }));
  const chat = client.chats.create({
    model: 'gemini-2.5-pro',
    history,
    config: {
      systemInstruction: system,
      thinkingConfig: { includeThoughts: true },
      tools: [{ functionDeclarations }],
    },
  });
  let message = prompt;
  for (;;) {
    const parts = [];
    for await (const chunk of await chat.sendMessageStream({ message }))
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
    if (calls.length === 0) return { text: parts.map(({ text }) => text ?? '').join(''), history: chat.getHistory() };
    message = calls.map(({ id, name, args }) => ({
      functionResponse: { id, name, response: { output: call({ name, input: args }) } },
    }));
  }
}
