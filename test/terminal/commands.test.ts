import { expect, it, onTestFinished } from 'vitest';
import { keys } from './pseudo-terminal.ts';
import { terminalWorld } from './world.ts';

it('runs commands in the terminal, with their lists, dialogs and trees, and comes back to the prompt', async () => {
  const world = await terminalWorld();
  onTestFinished(() => world.close());
  const terminal = world.open({ columns: 100, rows: 40 });
  const idle = () => terminal.until((screen) => screen.includes('Ask anything') && !screen.includes('Esc stops'));
  await terminal.until('Ask anything');
  const send = async (text: string) => {
    terminal.type(text);
    await terminal.until(`› ${text}`);
    terminal.type(keys.enter);
  };
  for (const text of ['first words', 'second words']) {
    terminal.type(`${text}${keys.enter}`);
    await terminal.until(`You said: ${text}`);
    await idle();
  }
  const shown: readonly (readonly [command: string, shown: RegExp])[] = [
    ['/context', /compaction due at/],
    ['/cost', /tokens|cost/i],
    ['/session', /session/i],
    ['/frontier', /./],
    ['/permissions', /rule/i],
    ['/unknown', /There is no command \/unknown/],
  ];
  for (const [command, text] of shown) {
    await send(command);
    await terminal.until(text);
    await idle();
  }
  await send('/search words');
  await terminal.until('Found for "words"');
  terminal.type(keys.escape);
  await idle();
  await send('/theme');
  await terminal.until(/❯ dark/);
  terminal.type(`${keys.down}${keys.enter}`);
  await idle();
  await send('/tree');
  await terminal.until('Enter moves here');
  expect(terminal.emulator.buffer.active.type).toBe('alternate');
  terminal.type('second');
  await terminal.until(
    (screen) => /second words/.test(screen) && !/first words/.test(screen.split('Preview')[0] ?? ''),
  );
  terminal.type(keys.escape);
  await idle();
  await send('/model');
  await terminal.until('filter:');
  terminal.type(keys.escape);
  await idle();
  await send('/compact');
  await terminal.until(/Enter chooses|compact/i);
  terminal.type(keys.escape);
  await idle();
  await send('/exit');
  expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
});
