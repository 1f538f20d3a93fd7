import { afterAll, beforeAll, expect, it } from 'vitest';
import { keys } from './terminal.ts';
import { type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;
beforeAll(async () => {
  world = await terminalWorld();
});
afterAll(async () => await world.close());

/** Lines of a terminal are as wide as its window; they are compared without the breaks. */
const squeezed = (text: string) => text.replace(/\s+/g, ' ');

it('line mode: a question, kill -9 in the middle of it, and the session goes on where it was', async () => {
  const first = world.open({ args: ['--plain'], columns: 200 });
  await first.until('Type a prompt');
  first.type(`run touch made${keys.enter}`);
  await first.until('Allow it?');
  first.kill('SIGKILL');
  await first.ended;
  const second = world.open({ args: ['--plain', '--continue'], env: { TERM: 'dumb' }, columns: 200 });
  await second.until('You: run touch made');
  second.type(`hello again${keys.enter}`);
  await second.until('You said: **hello again**');
  second.type(`/session${keys.enter}`);
  await second.until(/folder\s+\S*longhaul-terminal-/);
  second.type('\x04');
  expect((await second.ended).code).toBe(0);
  // Nothing but text: no cursor movement, no colors, no other screen.
  expect(second.written()).not.toMatch(new RegExp(`${keys.escape}\\[`));
  expect(squeezed(second.everything())).toContain('session ');
});

it('line mode: Ctrl-C stops the agent, twice in a row it leaves', async () => {
  const terminal = world.open({ args: ['--plain'], columns: 200 });
  await terminal.until('Type a prompt');
  terminal.type(`slow${keys.enter}`);
  await terminal.until('slow words');
  terminal.type('\x03');
  await terminal.until(/\(stopped: /);
  terminal.type(`once more${keys.enter}`);
  await terminal.until(/once more\*\*\s+\(anthropic/);
  terminal.type('\x03');
  await terminal.until('Press Ctrl-C again');
  terminal.type('\x03');
  expect((await terminal.ended).code).toBe(0);
});
