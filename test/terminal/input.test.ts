import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { isIdle, type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;
let terminal: PseudoTerminal;

const idle = () => terminal.until(isIdle);
const alt = (letter: string) => `${keys.escape}${letter}`;

/** The input holds exactly this, with the cursor where `|` is. */
const input = (marked: string) => {
  const text = marked.replace('|', '');
  return terminal.until(
    (screen) =>
      screen.split('\n').some((line) => line.trimEnd() === `› ${text}`.trimEnd()) &&
      terminal.emulator.buffer.active.cursorX === marked.indexOf('|') + 2,
  );
};

const send = async (text: string) => {
  terminal.type(text);
  await terminal.until(`› ${text}`);
  terminal.type(keys.enter);
};

const say = async (text: string) => {
  await send(text);
  await terminal.until(`● You said: ${text}`);
  await idle();
};

beforeAll(async () => {
  world = await terminalWorld();
  world.write('docs/long notes.md', 'The notes of the shop.');
  world.write(
    'no-home/.claude/commands/mark.md',
    '---\ndescription: Marks a file.\nargument-hint: "[file]"\nallowed-tools: Bash(touch:*)\nmodel: claude-haiku-4-5\n---\nrun touch $1',
  );
  terminal = world.open({ columns: 100, rows: 36 });
  await terminal.until('Ask anything');
});

afterAll(async () => await world.close());

describe('completion', () => {
  it('completes a command by some of its letters', async () => {
    terminal.type('/cmp');
    await terminal.until(/\/compact \[focus\]\s+Replace older messages/);
    terminal.type(keys.tab);
    await input('/compact |');
    terminal.type(keys.ctrl('u'));
    await idle();
  });

  it('chooses with the arrows, and closes with Esc', async () => {
    terminal.type('/session');
    const screen = await terminal.until(/\/sessions \[text\]/);
    expect(screen).toMatch(/\/session \[checkpoints/);
    terminal.type(keys.escape);
    await terminal.until((now) => now.includes('› /session') && !now.includes('/sessions [text]'));
    terminal.type(keys.ctrl('u'));
    await idle();
    terminal.type('/session');
    await terminal.until(/\/sessions \[text\]/);
    terminal.type(`${keys.down}${keys.tab}`);
    await input('/sessions |');
    terminal.type(keys.ctrl('u'));
    await idle();
  });

  it('completes a file by some of its letters; its text is sent', async () => {
    terminal.type('see @prts');
    await terminal.until(/^ {2}src\/price\.ts/m);
    terminal.type(keys.tab);
    await input('see @src/price.ts |');
    terminal.type('@lnotes');
    await terminal.until(/^ {2}docs\/long notes\.md/m);
    terminal.type(keys.tab);
    await input('see @src/price.ts @"docs/long notes.md" |');
    terminal.type(keys.enter);
    await terminal.until('└ src/price.ts, docs/long notes.md');
    await idle();
    expect(world.lastRequest()).toContain('export const total');
    expect(world.lastRequest()).toContain('The notes of the shop.');
  });
});

describe('a custom command', () => {
  it('uses its model and its rules until it is done', async () => {
    terminal.type('/mrk');
    await terminal.until(/\/mark \[file\]\s+Marks a file\./);
    terminal.type(`${keys.tab}made.txt${keys.enter}`);
    await terminal.until('claude-haiku-4-5 works on this command.');
    await terminal.until('✓ bash touch made.txt');
    await terminal.until('The call is done.');
    await idle();
    expect(existsSync(join(world.cwd, 'made.txt'))).toBe(true);
    expect(world.lastRequest()).toContain('"model":"claude-haiku-4-5"');
    await send('run touch other.txt');
    await terminal.until('Run this command?');
    terminal.type('n');
    await terminal.until('✗ bash touch other.txt');
    await idle();
    expect(existsSync(join(world.cwd, 'other.txt'))).toBe(false);
    expect(world.lastRequest()).toContain('"model":"claude-sonnet-5-5"');
  });
});

describe('sessions', () => {
  it('opens one from the list, and by name', async () => {
    await say('about apples');
    await send('/session rename orchard');
    await terminal.until('The session is now named orchard.');
    await send('/new');
    await terminal.until('New session.');
    await say('about boats');
    await send('/session rename harbor');
    await terminal.until('The session is now named harbor.');
    await send('/sessions');
    await terminal.until(/Sessions[\s\S]*❯ harbor[^\n]*this session[\s\S]*orchard/);
    await terminal.until(/Preview[\s\S]*> about boats/);
    terminal.type('orch');
    await terminal.until((screen) => /❯ orchard/.test(screen) && !/ harbor {2}/.test(screen));
    await terminal.until(/Preview[\s\S]*> about apples/);
    terminal.type(keys.enter);
    await terminal.until(/─ orchard ─[\s\S]*● You said: about apples/);
    await idle();
    await say('more about fruit');
    expect(world.lastRequest()).toContain('about apples');
    expect(world.lastRequest()).not.toContain('about boats');
    await send('/resume harbor');
    await terminal.until(/─ harbor ─[\s\S]*● You said: about boats/);
    await idle();
    await say('more about ships');
    expect(world.lastRequest()).toContain('about boats');
    expect(world.lastRequest()).not.toContain('about apples');
  });

  it('completes the name of a session in a message', async () => {
    terminal.type('as in @sess');
    await terminal.until(/^ {2}@session: +another session/m);
    terminal.type(`${keys.tab}`);
    await input('as in @session:|');
    terminal.type('ochd');
    await terminal.until(/^ {2}@session:orchard/m);
    terminal.type(keys.tab);
    await input('as in @session:orchard |');
    terminal.type(keys.enter);
    await terminal.until('└ session:orchard');
    await idle();
    expect(world.lastRequest()).toContain('about apples');
  });

  it('renames and deletes in the list', async () => {
    await send('/sessions orch');
    await terminal.until('❯ orchard');
    terminal.type(alt('r'));
    await terminal.until('Name:');
    terminal.type(`garden${keys.enter}`);
    await terminal.until('Renamed to garden.');
    await idle();
    await send('/sessions garden');
    // A name opens at once; the list comes for anything else.
    await terminal.until(/garden *$/m);
    await idle();
    await send('/sessions harb');
    await terminal.until('❯ harbor');
    terminal.type(alt('d'));
    await terminal.until(/Delete session \S+ permanently\?/);
    terminal.type('y');
    await terminal.until(/Deleted /);
    await idle();
    await send('/sessions harb');
    await terminal.until('No session matches.');
    terminal.type(keys.escape);
    await idle();
  });
});
