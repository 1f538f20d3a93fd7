import { join } from 'node:path';
import { type Entry, openSqliteStore } from 'longhaul/session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { isIdle, type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;
let terminal: PseudoTerminal;

/** Entries of the session. */
const length = 10_000;

const idle = () => terminal.until(isIdle);

beforeAll(async () => {
  world = await terminalWorld();
  const store = await openSqliteStore({ dir: join(world.cwd, 'store') });
  const at = Date.UTC(2026, 0, 1);
  await store.create({ header: { v: 1, id: 'long', createdAt: at, cwd: world.cwd } });
  const entries = Array.from({ length }, (_, index): Entry => {
    const handle = index + 1;
    const isHuman = handle % 2 === 1;
    const text = `${isHuman ? 'Question' : 'Answer'} number ${handle}.`;
    return {
      v: 1,
      id: `entry-${handle}`,
      parentId: index === 0 ? null : `entry-${index}`,
      handle,
      at: at + index,
      epoch: null,
      type: 'message',
      message: isHuman
        ? { role: 'user', parts: [{ type: 'text', origin: 'human', text }] }
        : { role: 'assistant', parts: [{ type: 'text', origin: 'model', text }] },
    };
  });
  await store.append({ session: 'long', expect: 0, entries, leaf: `entry-${length}`, epoch: null });
  await store.close();
  terminal = world.open({ args: ['--continue'], rows: 30 });
  await terminal.until('Answer number 10000.');
  await idle();
});

afterAll(async () => await world.close());

describe('a session of 10,000 entries', () => {
  it('opens with its end, and names the way to the rest', () => {
    expect(terminal.everything()).toContain('… earlier messages: PageUp');
    expect(terminal.everything()).not.toContain('Answer number 9000.');
  });

  it('is walked by items and pages, from its end to its beginning', async () => {
    terminal.type(keys.pageUp);
    await terminal.until(/▎● Answer number 10000\.[\s\S]*200 of the newest 200/);
    terminal.type(keys.up);
    await terminal.until(/▎› Question number 9999\./);
    terminal.type('k');
    await terminal.until(/▎● Answer number 9998\./);
    terminal.type('j');
    await terminal.until(/▎› Question number 9999\./);
    terminal.type(keys.pageUp);
    await terminal.until((screen) => !screen.includes('number 10000.') && /number 9980\./.test(screen));
    terminal.type(' ');
    await terminal.until('Answer number 10000.');
    terminal.type('b');
    await terminal.until((screen) => !screen.includes('number 10000.'));
    terminal.type('G');
    await terminal.until(/▎● Answer number 10000\./);
    terminal.type('g');
    await terminal.until(/^▎› Question number 1\.[\s\S]*1 of 10000/m);
    terminal.type(keys.end);
    await terminal.until(/▎● Answer number 10000\./);
    terminal.type('q');
    await idle();
  });

  it('is searched to its beginning', async () => {
    terminal.type(`${keys.pageUp}/number 77.${keys.enter}`);
    await terminal.until(/▎› Question number 77\./);
    terminal.type('n');
    await terminal.until(/▎› Question number 77\./);
    terminal.type(`/no such words${keys.enter}`);
    await terminal.until('Nothing matches "no such words".');
    terminal.type(keys.escape);
    await idle();
  });

  it('has a tree that is walked by pages, and goes on', async () => {
    terminal.type(`/tree all${keys.enter}`);
    await terminal.until(/Enter moves here/);
    terminal.type(keys.home);
    await terminal.until(/❯ .*Question number 1\./);
    terminal.type(keys.pageDown);
    await terminal.until((screen) => !screen.includes('Question number 1.'));
    terminal.type(keys.end);
    await terminal.until(/❯ .*Answer number 10000\./);
    terminal.type(keys.up);
    await terminal.until(/❯ .*Question number 9999\./);
    terminal.type(keys.escape);
    await idle();
    terminal.type(`and now${keys.enter}`);
    await terminal.until('● You said: and now');
    await idle();
  });
});
