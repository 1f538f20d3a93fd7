import type { JsonObject } from 'longhaul/message';

/** A short talk between a person and an agent, as a client of Anthropic would send it. */
export const demoRequest: JsonObject & { readonly messages: readonly JsonObject[] } = {
  system: 'You are a careful engineer. Run the tests before you say that something works.',
  tools: [
    tool({ name: 'read_file', description: 'Read a file.', properties: { path: { type: 'string' } } }),
    tool({ name: 'run', description: 'Run a command.', properties: { command: { type: 'string' } } }),
  ],
  messages: [
    { role: 'user', content: 'The nightly build fails, but only on arm64. Find out why and fix it.' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'The log first, and the code it points to.', signature: 'ErUBCkYIDRgCIkA9' },
        { type: 'text', text: 'I read the log and the hash function.' },
        { type: 'tool_use', id: 'toolu_01', name: 'run', input: { command: 'gh run view --log-failed' } },
        { type: 'tool_use', id: 'toolu_02', name: 'read_file', input: { path: 'src/hash.c' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_01', content: 'hash_test: expected 0xcbf29ce4, got 0xcbf29c64' },
        { type: 'tool_result', tool_use_id: 'toolu_02', content: 'uint32_t hash(const char *s) { … h ^= *s++; … }' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'char is unsigned on arm64. I make the cast explicit.' },
        { type: 'tool_use', id: 'toolu_03', name: 'run', input: { command: "sed -i 's/\\*s++/(signed char)*s++/'" } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_03', content: '1 line changed' }] },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_04', name: 'run', input: { command: 'make test ARCH=arm64' } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_04', content: '214 passed, 0 failed' }] },
    { role: 'assistant', content: 'Fixed: 214 tests pass on arm64.' },
    { role: 'user', content: 'Thanks. Commit it, and never touch vendor/.' },
  ],
};

function tool({
  name,
  description,
  properties,
}: {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
}): JsonObject {
  return { name, description, input_schema: { type: 'object', properties, required: Object.keys(properties) } };
}
