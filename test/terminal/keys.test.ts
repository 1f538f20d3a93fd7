import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;
let terminal: PseudoTerminal;

const send = (text: string) => terminal.type(`${text}${keys.enter}`);
const idle = () => terminal.until((screen) => screen.includes('Ask anything') && !screen.includes('Esc stops'));
const alt = (letter: string) => `${keys.escape}${letter}`;
/** The text of the input, with its first mark. */
const input = (text: string) => terminal.until((screen) => screen.includes(`› ${text}\n──`));

beforeAll(async () => {
  world = await terminalWorld();
  world.write('shot.png', png({ width: 90, height: 36 }));
  world.write('bin/wl-paste', `#!/bin/sh\nexec cat ${join(world.cwd, 'shot.png')}\n`);
  chmodSync(join(world.cwd, 'bin/wl-paste'), 0o755);
  terminal = world.open({
    args: ['--effort', 'high', '--allow', 'bash(echo:*)', '--allow', 'bash(sleep:*)'],
    columns: 90,
    rows: 30,
    env: {
      PATH: `${join(world.cwd, 'bin')}:${process.env.PATH}`,
      KITTY_WINDOW_ID: '1',
      EDITOR: 'sed -i s/draft/edited/',
    },
  });
  await terminal.until('Ask anything');
});

afterAll(async () => await world.close());

describe('keys', () => {
  it('Ctrl-T shows the thinking and folds it again', async () => {
    send('think');
    await terminal.until('Thought in 6 words · Ctrl-T shows it');
    await idle();
    expect(terminal.screen()).not.toContain('First the tests');
    terminal.type(keys.ctrl('t'));
    await terminal.until('First the tests, then the code.');
    terminal.type(keys.ctrl('t'));
    await terminal.until((screen) => !screen.includes('First the tests'));
  });

  it('shows todos above the input', async () => {
    send('todos');
    const screen = await terminal.until('Todos 1 of 3 done');
    expect(screen).toMatch(/☑ Read the code\n\s+▶ Write the test\n\s+☐ Fix the bug/);
    await terminal.until('The call is done.');
    await idle();
  });

  it('shows a sub-agent as a line with its calls below it', async () => {
    send('task echo from below');
    await terminal.until(/task Look around[\s\S]*│ bash: echo from below/);
    await terminal.until('✓ task');
    await idle();
  });

  it('Ctrl-B shows the output of a background command as it comes, also between runs', async () => {
    send('background echo started; sleep 0.2; echo ready; sleep 30');
    await terminal.until(/⚙ b1 echo started.* · running/);
    await terminal.until('The call is done.');
    await idle();
    terminal.type(keys.ctrl('b'));
    await terminal.until(/⚙ b1 [^\n]*\n\s+│ started\n\s+│ ready/);
    terminal.type(keys.ctrl('b'));
    await terminal.until((screen) => !screen.includes('│ ready') && screen.includes('Ctrl-B shows the output'));
  });

  it('Ctrl-V attaches the image on the clipboard, which the terminal draws', async () => {
    terminal.type(keys.ctrl('v'));
    await terminal.until('1 image attached');
    send('look at this');
    await terminal.until('You said: look at this');
    await idle();
    expect(world.lastRequest()).toContain('"media_type":"image/png"');
    expect(terminal.written()).toMatch(/_Ga=T,f=100,q=2,C=1,c=10,r=2,i=\d+;iVBOR/);
  });

  it('attaches an image by @, and by dropping its file', async () => {
    send('see @shot.png');
    await terminal.until('You said: see @shot.png');
    await idle();
    const dropped = join(world.cwd, 'shot.png');
    terminal.type(keys.paste(dropped));
    await terminal.until(`› @"${dropped}"`);
    terminal.type(keys.enter);
    await terminal.until('You said: **@"');
    await idle();
    expect(world.lastRequest().split('"media_type":"image/png"').length - 1).toBe(3);
    expect(terminal.written().split('_Ga=T,f=100').length - 1).toBeGreaterThanOrEqual(3);
  });

  it('Alt-P chooses a model, Ctrl-G opens the editor, Ctrl-R searches, Ctrl-L draws again', async () => {
    terminal.type(alt('p'));
    await terminal.until(/Model[\s\S]*filter:/);
    terminal.type(keys.escape);
    await idle();
    terminal.type(`a draft${keys.ctrl('g')}`);
    await input('a edited');
    terminal.type(keys.ctrl('u'));
    await idle();
    terminal.type(`${keys.ctrl('r')}echo`);
    await terminal.until(/› background echo[^\n]*\n[\s\S]*search: echo/);
    terminal.type(keys.ctrl('r'));
    await terminal.until(/› task echo from below\n\s+search: echo/);
    terminal.type(keys.enter);
    await input('task echo from below');
    terminal.type(keys.ctrl('c'));
    await idle();
    terminal.emulator.write('\r\n garbage of another program');
    terminal.type(keys.ctrl('l'));
    await terminal.until((screen) => !screen.includes('garbage') && screen.includes('Ask anything'));
  });

  it('Esc Esc opens rewind', async () => {
    terminal.type(keys.escape);
    await terminal.until('Esc again: rewind');
    terminal.type(keys.escape);
    await terminal.until('Go back to before which prompt?');
    terminal.type(keys.escape);
    await idle();
  });

  it('Ctrl-D leaves', async () => {
    terminal.type(keys.ctrl('d'));
    expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
  });
});

/** A gray picture. */
function png({ width, height }: { readonly width: number; readonly height: number }): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height, 0x80);
  for (let row = 0; row < height; row += 1) rows[row * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
}
