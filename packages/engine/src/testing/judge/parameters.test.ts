import { describe, expect, it } from 'vitest';
import { body as anthropic, hello, manual } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';
import type { JudgeDialect } from './index.ts';

const chat = (more = {}) => ({ model: 'gpt-5.6', messages: [{ role: 'user', content: 'hi' }], ...more });
const responses = (more = {}) => ({ model: 'gpt-5.6', input: 'hi', ...more });
const gemini = (more = {}) => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...more });
const config = (generationConfig: unknown) => gemini({ generationConfig });
const chatTools = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ type: 'function', function: { name: `t${at}` } }));
const tools = (count: number) => Array.from({ length: count }, (_, at) => ({ type: 'function', name: `t${at}` }));

const rules: Record<JudgeDialect, Rule[]> = {
  anthropic: [
    {
      rule: 'knows its members',
      legal: anthropic(hello, { top_k: 5, stop_sequences: ['x'], metadata: {}, context_management: {} }),
      illegal: anthropic(hello, { max_output_tokens: 5 }),
      message: 'max_output_tokens: Extra inputs are not permitted',
      path: 'max_output_tokens',
    },
    {
      rule: 'has a temperature of 1 at most',
      legal: anthropic(hello, { temperature: 1 }),
      illegal: anthropic(hello, { temperature: 1.1 }),
      message: 'temperature: range: 0..1',
      path: 'temperature',
    },
    {
      rule: 'has a temperature that is a number',
      legal: anthropic(hello, { temperature: 0 }),
      illegal: anthropic(hello, { temperature: '0' }),
      message: 'temperature: Input should be a valid number',
      path: 'temperature',
    },
    {
      rule: 'has a top_p of 0 at least',
      legal: anthropic(hello, { top_p: 0 }),
      illegal: anthropic(hello, { top_p: -0.1 }),
      message: 'top_p: range: 0..1',
      path: 'top_p',
    },
    {
      rule: 'thinks at a temperature of 1 only',
      legal: anthropic(hello, { ...manual, temperature: 1 }),
      illegal: anthropic(hello, { ...manual, temperature: 0.5 }),
      message: '`temperature` may only be set to 1 when thinking is enabled.',
      path: 'temperature',
    },
  ],
  'openai-chat': [
    {
      rule: 'knows its members',
      legal: chat({ seed: 1, verbosity: 'low', prompt_cache_key: 'k' }),
      illegal: chat({ max_output_tokens: 16 }),
      message: 'Unrecognized request argument supplied: max_output_tokens',
      path: 'max_output_tokens',
    },
    {
      rule: 'has a temperature of 2 at most',
      legal: chat({ temperature: 2 }),
      illegal: chat({ temperature: 2.1 }),
      message: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.1 instead.",
      path: 'temperature',
      code: 'decimal_above_max_value',
    },
    {
      rule: 'has a top_p of 1 at most',
      legal: chat({ top_p: 1 }),
      illegal: chat({ top_p: 1.5 }),
      message: "Invalid 'top_p': decimal above maximum value.",
      path: 'top_p',
    },
    {
      rule: 'makes one choice at least',
      legal: chat({ n: 1 }),
      illegal: chat({ n: 0 }),
      message: "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead.",
      path: 'n',
      code: 'integer_below_min_value',
    },
    {
      rule: 'counts choices in integers',
      legal: chat({ n: null }),
      illegal: chat({ n: 1.5 }),
      message: "Invalid type for 'n': expected an integer, but got a decimal number instead.",
      path: 'n',
    },
    {
      rule: 'has four stop strings at most',
      legal: chat({ stop: ['a', 'b', 'c', 'd'] }),
      illegal: chat({ stop: ['a', 'b', 'c', 'd', 'e'] }),
      message: "Invalid 'stop': array too long. Expected an array with maximum length 4",
      path: 'stop',
    },
    {
      rule: 'has 128 tools at most',
      legal: chat({ tools: chatTools(128) }),
      illegal: chat({ tools: chatTools(129) }),
      message: "Invalid 'tools': array too long. Expected an array with maximum length 128",
      path: 'tools',
    },
    {
      rule: 'has one limit of its output',
      legal: chat({ max_completion_tokens: 5 }),
      illegal: chat({ max_completion_tokens: 5, max_tokens: 5 }),
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      path: 'max_tokens',
    },
    {
      rule: 'has options of a stream with a stream',
      legal: chat({ stream: true, stream_options: { include_usage: true } }),
      illegal: chat({ stream_options: { include_usage: true } }),
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      path: 'stream_options',
    },
    {
      rule: 'has parallel calls with tools',
      legal: chat({ parallel_tool_calls: false, tools: chatTools(1) }),
      illegal: chat({ parallel_tool_calls: false }),
      message: "'parallel_tool_calls' is only allowed when 'tools' are specified.",
      path: 'parallel_tool_calls',
    },
  ],
  'openai-responses': [
    {
      rule: 'knows its members',
      legal: responses({ client_metadata: {}, truncation: 'auto', parallel_tool_calls: true }),
      illegal: responses({ seed: 1 }),
      message: "Unknown parameter: 'seed'.",
      path: 'seed',
      code: 'unknown_parameter',
    },
    {
      rule: 'takes input, not messages',
      legal: responses(),
      illegal: chat(),
      message: "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'.",
      path: 'messages',
      code: 'unsupported_parameter',
    },
    {
      rule: 'has a temperature of 0 at least',
      legal: responses({ temperature: 0 }),
      illegal: responses({ temperature: -1 }),
      message: "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
      path: 'temperature',
    },
    {
      rule: 'has a top_p that is a number',
      legal: responses({ top_p: 0.5 }),
      illegal: responses({ top_p: '0.5' }),
      message: "Invalid type for 'top_p': expected a decimal, but got a string instead.",
      path: 'top_p',
    },
    {
      rule: 'has 16 tokens of output at least',
      legal: responses({ max_output_tokens: 16 }),
      illegal: responses({ max_output_tokens: 15 }),
      message: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
      path: 'max_output_tokens',
    },
    {
      rule: 'has 128 tools at most',
      legal: responses({ tools: tools(128) }),
      illegal: responses({ tools: tools(129) }),
      message: "Invalid 'tools': array too long.",
      path: 'tools',
    },
    {
      rule: 'has options of a stream with a stream',
      legal: responses({ stream: true, stream_options: {} }),
      illegal: responses({ stream: false, stream_options: {} }),
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      path: 'stream_options',
    },
  ],
  gemini: [
    {
      rule: 'knows its members, in both spellings',
      legal: gemini({ tool_config: {}, safetySettings: [], labels: {} }),
      illegal: gemini({ temperature: 1 }),
      message: 'Invalid JSON payload received. Unknown name "temperature": Cannot find field.',
      path: 'temperature',
    },
    {
      rule: 'has a configuration that is an object',
      legal: config({}),
      illegal: config('warm'),
      message: "Invalid value at 'generation_config'",
      path: 'generationConfig',
    },
    {
      rule: 'has a temperature of 2 at most',
      legal: config({ temperature: 2 }),
      illegal: config({ temperature: 2.5 }),
      message: 'temperature must be in the range [0.0, 2.0].',
      path: 'generationConfig.temperature',
    },
    {
      rule: 'has a topP of 1 at most',
      legal: config({ topP: 1 }),
      illegal: config({ topP: 1.5 }),
      message: 'top_p must be in the range [0.0, 1.0].',
      path: 'generationConfig.topP',
    },
  ],
};

describe.each(Object.keys(rules) as JudgeDialect[])('the judge on parameters: %s', (dialect) => {
  it.each(rules[dialect])('$rule', (rule) => {
    expect(verdicts({ dialect, rule })).toEqual(expected(rule));
  });
});
