import fc from 'fast-check';
import { codecs, type Json, type JsonObject, semanticKey } from 'longhaul/message';
import { createMemoryStore, nodeTypes, openSession, type Store } from 'longhaul/session';
import { startLoopback } from 'longhaul/testing';
import { expect, it } from 'vitest';
import { runs } from '../../../engine/src/testing/runs.ts';
import { FakeAgent } from '../fixtures/agent.ts';
import { createGateway } from '../gateway.ts';

const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('turn' as const), agent: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('retry' as const), agent: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('rebuild' as const), agent: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fork' as const), agent: fc.nat(3), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('side' as const), agent: fc.nat(3) }) },
);

/** The same history in other bytes, as some clients write it after a restart. */
function rebuilt(history: readonly Json[], stamp: number): Json[] {
  return history.map((item) => ({ ...(item as JsonObject), __rebuilt: stamp }));
}

const semantics = (items: readonly Json[]) => semanticKey(codecs['openai-chat'].decode(items));

/** What is said on every branch of every session. */
async function paths(store: Store): Promise<string[][]> {
  const found: string[][] = [];
  for (const { header } of await store.list()) {
    const session = await openSession({ store, id: header.id });
    const nodes = (await session.read({ after: 0 })).filter(({ type }) => nodeTypes.has(type));
    const parents = new Set(nodes.map(({ parentId }) => parentId));
    for (const { id } of nodes.filter((node) => !parents.has(node.id))) {
      const path = await session.path({ leaf: id });
      found.push(semanticKey(path.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []))));
    }
  }
  return found;
}

it('never mixes conversations and never loses an item, however branches, retries and rebuilt histories interleave', async () => {
  await using loopback = Object.assign(
    await startLoopback({
      script: ({ index, body }) => ({
        text: `Answer ${index} of ${(body.messages as unknown[]).length}.`,
        ...(index % 2 === 0 && { toolCalls: [{ name: 'read', arguments: `{ "path":  "f${index}" }` }] }),
      }),
    }),
    { [Symbol.asyncDispose]: () => loopback.close() },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 8, maxLength: 24 }),
      fc.boolean(),
      async (operations, isShared) => {
        const store = createMemoryStore();
        const gateway = await createGateway({ store, upstreams: { openai: loopback.url }, env: {} });
        const from = loopback.requests.length;
        const url = () => gateway.url;
        const agents = [0, 1, 2, 3].map((name) => {
          const agent = new FakeAgent({ dialect: 'openai-chat', url, stream: name % 2 === 0 });
          // Conversations may begin with the very same words.
          agent.say(isShared ? 'Go.' : `Go, ${name}.`);
          return agent;
        });
        let step = 0;
        for (const { type, ...of } of operations) {
          step += 1;
          const agent = agents[of.agent];
          if (!agent) continue;
          const sent = JSON.stringify(agent.body());
          switch (type) {
            case 'turn': {
              const answer = await agent.turn();
              if (!agent.answer(answer, () => `Result ${step}.`)) agent.say(`Next ${step}.`);
              break;
            }
            case 'retry':
              await (await agent.send()).text();
              break;
            case 'rebuild':
              agent.history = rebuilt(agent.history, step);
              continue;
            case 'fork': {
              // The user goes back to one of their own messages and says something else.
              const places = agent.history.flatMap((item, at) => ((item as JsonObject).role === 'user' ? [at] : []));
              agent.history = agent.history.slice(0, places['at' in of ? of.at % places.length : 0] ?? 0);
              agent.say(`Instead ${step}.`);
              if (!agent.answer(await agent.turn(), () => `Result ${step}.`)) agent.say(`After ${step}.`);
              break;
            }
            case 'side': {
              // A summary request without tools over the same history must not disturb the main one.
              const { tools: _, ...body } = JSON.parse(sent) as JsonObject;
              const messages = [...(body.messages as Json[]), { role: 'user', content: `Summarize ${step}.` }];
              const headers = { 'content-type': 'application/json' };
              const request = { method: 'POST', headers, body: JSON.stringify({ ...body, messages }) };
              await (await fetch(`${gateway.url}/v1/chat/completions`, request)).text();
              continue;
            }
          }
          if (type !== 'fork') expect(loopback.requests.at(-1)?.text).toBe(sent);
        }
        // Everything was legal and went through.
        expect(loopback.requests.slice(from).filter(({ status }) => status !== 200)).toEqual([]);
        const known = await paths(store);
        for (const agent of agents) {
          const sentItems = agent.history.slice(
            0,
            agent.history.findLastIndex((item) => (item as JsonObject).role === 'assistant') + 1,
          );
          if (sentItems.length === 0) continue;
          const wanted = semantics(sentItems);
          const owner = known.find((path) => wanted.every((event, at) => path[at] === event));
          expect(owner, `the history of an agent is in a session: ${JSON.stringify(wanted)}`).toBeDefined();
        }
        await gateway.close();
      },
    ),
    { ...runs(15), endOnFailure: true },
  );
});
