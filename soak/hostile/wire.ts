import { dialects } from 'longhaul/message';
import { createModel } from 'longhaul/models/clients';
import { createRandom } from 'longhaul/testing';
import { ask, names } from '../../packages/engine/src/models/clients/fixtures/connect.ts';
import {
  bufferSlack,
  misbehaviors,
  serveMisbehavior,
  smallLimits,
} from '../../packages/engine/src/models/clients/fixtures/hostile-server.ts';
import type { RunHostile } from './hostile-class.ts';

/** Servers that misbehave, against clients of all dialects with limits of any size. */
export const hostileWire: RunHostile = async ({ seed, count }) => {
  const random = createRandom(seed);
  const findings: string[] = [];
  const [first, ...rest] = misbehaviors;
  if (!first) throw new Error('There are no misbehaviors.');
  for (let number = 0; number < count; number += 1) {
    const dialect = random.pick(dialects as unknown as readonly [(typeof dialects)[number]]);
    const { name, answer, limits, expected } = random.pick([first, ...rest]);
    const scale = random.int(1, 8);
    const sized = {
      answerBytes: smallLimits.answerBytes * scale,
      eventBytes: random.int(1024, smallLimits.eventBytes * scale),
      errorBytes: random.int(1, smallLimits.errorBytes * scale),
    };
    await using server = await serveMisbehavior({ answer });
    const model = await createModel({
      name: names[dialect],
      env: {},
      baseUrl: server.url,
      apiKey: 'a-key-that-must-stay',
      limits: { ...smallLimits, ...sized, ...limits },
      retry: false,
    });
    const { end } = await ask(model);
    const failure = end.reason === 'failed' ? end.failure : undefined;
    const isCode = expected.code === undefined || failure?.code === expected.code;
    const isExpected = failure?.kind === expected.kind && isCode;
    const what = `${dialect}, ${name}, ${JSON.stringify(sized)}`;
    if (!isExpected) findings.push(`${what}: ended with ${JSON.stringify(failure ?? end.reason)}`);
    if (server.seen.elsewhere > 0) findings.push(`${what}: another origin was asked`);
    if (server.seen.sentBytes > bufferSlack) findings.push(`${what}: ${server.seen.sentBytes} bytes were taken`);
  }
  return { cases: count, findings };
};
