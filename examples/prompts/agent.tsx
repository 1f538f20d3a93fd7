import type { Message } from 'longhaul/message';
import { ConversationHistory, Environment, Instructions, UserMessage } from 'longhaul/prompt';

// A turn of an agent: what it is told, where it works, what was said, what is asked now. The oldest rounds go first, a call
// always with its results; results are capped; breakpoints stand behind what is the same in every request.
//
//   longhaul prompt render examples/prompts/agent.tsx --budget 400
//   longhaul prompt trace examples/prompts/agent.tsx --budget 400 -o agent.html

const rules = 'Use tabs. Run the tests before you say that you are done.';

const said: Message[] = [
  { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'Sort the imports of every file.' }] },
  ...['src/a.ts', 'src/b.ts', 'src/c.ts'].flatMap((path, index) => round({ path, index })),
  { role: 'assistant', parts: [{ type: 'text', origin: 'model', text: 'All three are sorted.' }] },
];

export function prompt() {
  return (
    <>
      <Instructions files={[{ path: 'AGENTS.md', text: rules }]} cached>
        You are a careful engineer. Do what is asked, and nothing else.
      </Instructions>
      <Environment facts={{ cwd: '/home/me/shop', platform: 'linux', branch: 'main' }} priority={800} cached />
      <ConversationHistory messages={said} resultMax={60} priority={700} />
      <UserMessage priority={900}>
        Now do the same for the tests.
        <cacheBreakpoint type="ephemeral" />
      </UserMessage>
    </>
  );
}

/** A file that was read: the call, and what came of it. */
function round({ path, index }: { readonly path: string; readonly index: number }): Message[] {
  const id = `call_${index + 1}`;
  const text = Array.from({ length: 40 }, (_, line) => `import { part${line} } from './part-${line}.ts';`).join('\n');
  return [
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', origin: 'model', id, name: 'read', arguments: JSON.stringify({ path }) }],
    },
    {
      role: 'tool',
      parts: [{ type: 'tool_result', origin: 'tool', callId: id, content: [{ type: 'text', origin: 'tool', text }] }],
    },
  ];
}
