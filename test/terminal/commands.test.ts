import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slashCommands } from '../../packages/cli/src/interactive/commands/index.ts';
import { keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { isIdle, type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;
let terminal: PseudoTerminal;

const idle = () => terminal.until(isIdle);

/** Every command that was typed, to compare with those that exist. */
const typed = new Set<string>();

const send = async (text: string) => {
  const [, name] = /^\/(\S+)/.exec(text) ?? [];
  if (name !== undefined) typed.add(name);
  terminal.type(text);
  await terminal.until(`› ${text}`);
  terminal.type(keys.enter);
};

/** Sends a command, waits for what it shows, closes what it has opened. */
const shows = async (command: string, shown: string | RegExp) => {
  await send(command);
  // Candidates for the command, which are shown while it is typed, are not its result.
  const isShown = (screen: string) => (typeof shown === 'string' ? screen.includes(shown) : shown.test(screen));
  const screen = await terminal.until((now) => !now.includes(`› ${command}`) && isShown(now));
  if (!screen.includes('Ask anything')) terminal.type(keys.escape);
  await idle();
};

const say = async (text: string, answer = `You said: ${text}`) => {
  terminal.type(`${text}${keys.enter}`);
  await terminal.until(answer);
  await idle();
};

beforeAll(async () => {
  world = await terminalWorld();
  world.write(
    'no-home/.config/longhaul/config.json',
    JSON.stringify({
      mcp: { servers: { shelf: { command: process.execPath, args: [join(world.cwd, 'shelf.cjs')] } } },
      hooks: { PostCompact: [{ command: `echo compacted > ${join(world.cwd, 'hooked')}` }] },
    }),
  );
  world.write('shelf.cjs', mcpServer);
  world.write('no-home/.claude/agents/scout.md', '---\nname: scout\ndescription: Looks around.\n---\nLook.');
  world.write('no-home/.claude/skills/deploy/SKILL.md', '---\nname: deploy\ndescription: Deploys.\n---\nDeploy.');
  terminal = world.open({
    columns: 110,
    rows: 40,
    env: { EDITOR: `sed -i s/Check/Doublecheck/`, LONGHAUL_WINDOW: '60000' },
  });
  await terminal.until('Ask anything');
});

afterAll(async () => await world.close());

describe('commands in the terminal', () => {
  it('says what a command without a conversation has to work on', async () => {
    await shows('/compact', 'Nothing was compacted.');
    await shows('/plan approve', 'no plan to approve');
    await shows('/unknown', 'There is no command /unknown');
  });

  it('shows the session, the context and what it knows', async () => {
    await say('first words');
    await say('second words');
    await shows('/help', /\/exit +Leave/);
    expect(terminal.everything()).toMatch(/\/compact \[focus\] +Replace older messages/);
    await shows('/help compact', /\/compact \[focus\]\s+Replace older messages/);
    await shows('/context', /your messages[\s\S]*compaction due at/);
    await send('/cost');
    const cost = await terminal.until(/\$[\d.]+ in total, with summaries and sub-agents/);
    const [, requests] = /claude-sonnet-5-5 · (\d+) requests · \$/.exec(cost) ?? [];
    expect(Number(requests)).toBe(world.requests());
    const amounts = ['input', 'cache read', 'cache write'].map((name) => amountOf({ name, screen: cost }));
    expect(amounts.reduce((sum, amount) => sum + amount)).toBe(world.promptTokens());
    await idle();
    await shows('/session', /messages sent\s+\d/);
    await shows('/session checkpoints', /no compaction/i);
    await shows('/session rename shop', 'The session is now named shop.');
    await shows('/session fly', '/session does not know "fly"');
    await shows('/frontier', /frontier|tasks|nothing/i);
    await shows('/permissions', 'There are no rules.');
    await shows('/permissions allow bash(echo:*)', 'bash(echo:*) is allowed in this run.');
    await shows('/permissions allow', 'No rule was given.');
    await shows('/permissions', /Mode ask: ask before[^\n]*\n[\s\S]*allowed +bash\(echo:\*\)/);
    await shows('/permissions forget', '/permissions does not know "forget"');
    await shows('/skills', /deploy\s+Deploys\./);
    await shows('/agents', /scout\s+Looks around\./);
    await shows('/hooks', /PostCompact +echo compacted > \S+hooked/);
    await shows('/memory list', /memory|note|entr/i);
    await shows('/settings terminal.vim', /terminal\.vim.*false/);
    await shows('/settings no-such-setting', 'No setting matches.');
    await shows(
      '/mcp',
      /❯ shelf +ready, 2 tools, user[\s\S]*Preview[\s\S]*mcp__shelf__find_book\n +mcp__shelf__lend_book/,
    );
  });

  it('finds, pins and unpins', async () => {
    await shows('/search words', 'Found for "words"');
    await shows('/search', 'The query is empty.');
    await shows('/recall second', 'Found for "second"');
    await shows('/recall', 'Nothing was asked for.');
    await shows('/recall @999', /@999/);
    await shows('/pin Never touch the lockfile', /Pinned as @\d+/);
    await shows('/pin', 'Never touch the lockfile');
    await send('/unpin');
    await terminal.until(/Remove which rule\?[\s\S]*❯ Never touch the lockfile/);
    terminal.type(keys.enter);
    await terminal.until('is no longer a rule');
    await idle();
  });

  it('changes mode, model and theme', async () => {
    await shows('/mode read-only', 'Mode read-only: only read.');
    await shows('/mode fast', 'There is no mode "fast".');
    await shows('/mode ask', 'Mode ask:');
    await send('/model');
    await terminal.until(/Model[\s\S]*tokens, \$/);
    terminal.type('opus-5-5');
    await terminal.until(/❯ anthropic\/claude-opus-5-5/);
    terminal.type(keys.enter);
    await terminal.until('anthropic/claude-opus-5-5 is used from now on.');
    await idle();
    await shows('/model anthropic/claude-sonnet-5-5', 'anthropic/claude-sonnet-5-5 is used from now on.');
    await shows('/model nonsense', /nonsense/);
    await send('/theme');
    await terminal.until(/❯ dark/);
    terminal.type(`${keys.down}${keys.enter}`);
    await idle();
    await shows('/theme pink', 'There is no theme "pink".');
    await shows('/theme dark', 'Ask anything');
  });

  it('walks the tree: moves with a summary, labels, forks, folds', async () => {
    await send('/tree');
    await terminal.until('Enter moves here');
    expect(terminal.emulator.buffer.active.type).toBe('alternate');
    terminal.type('second');
    await terminal.until(
      (screen) => /second words/.test(screen) && !/first words/.test(screen.split('Preview')[0] ?? ''),
    );
    terminal.type('\x1bl');
    await terminal.until('label:');
    terminal.type(`turn${keys.enter}`);
    await terminal.until('Labeled turn.');
    await idle();
    await send('/tree all');
    await terminal.until('[turn]');
    terminal.type('first words');
    await terminal.until((screen) => !screen.includes('[turn]'));
    terminal.type(keys.enter);
    await terminal.until('are left behind, and stay in the tree');
    terminal.type('y');
    await terminal.until('› first words');
    terminal.type(keys.ctrl('c'));
    await idle();
    await shows('/undo', 'Undone');
    await shows('/redo', 'Redone');
    await shows('/undo', 'Undone');
    await shows('/edit', 'A message and its new text are needed.');
  });

  it('rewinds the conversation and the files', async () => {
    terminal.type(`edit${keys.enter}`);
    await terminal.until('Allow edit?');
    terminal.type('y');
    await terminal.until('The call is done.');
    await idle();
    await shows('/rewind sideways', '/rewind does not know "sideways"');
    await send('/rewind both');
    await terminal.until(/Go back to before which prompt\?[\s\S]*❯ edit/);
    terminal.type(keys.enter);
    await terminal.until(/Put these files back\?[\s\S]*src\/price\.ts/);
    terminal.type('y');
    await terminal.until(/› edit *\n─/);
    expect(readFileSync(join(world.cwd, 'src/price.ts'), 'utf8')).not.toContain('rate * 2');
    terminal.type(keys.ctrl('c'));
    await idle();
  });

  it('makes a plan, lets it be edited, and carries it out', async () => {
    await send('/plan plan');
    await terminal.until('A plan was proposed.');
    await idle();
    await send('/plan');
    await terminal.until(/Carry out this plan\?[\s\S]*Check them/);
    terminal.type('e');
    await terminal.until(/Carry out the edited plan\?[\s\S]*Doublecheck them/);
    const before = world.requests();
    terminal.type('y');
    await terminal.until('The plan is approved. Mode ask');
    await terminal.until((screen) => world.requests() > before && isIdle(screen));
    const { messages } = JSON.parse(world.lastRequest()) as { readonly messages: readonly unknown[] };
    const approval = JSON.stringify(messages.at(-1));
    expect(approval).toContain('Doublecheck them');
    expect(approval).not.toMatch(/\bCheck them/);
  });

  it('compacts after a preview, and undoes it', async () => {
    for (const name of ['alpha', 'beta', 'gamma']) await say(`report ${name}`, `${name} 399: a line`);
    // A question that is closed is answered: nothing waits for it when the session is left.
    await send('/compact');
    await terminal.until(/Compact from [\d,]+ to [\d,]+ tokens\?/);
    terminal.type(keys.escape);
    await terminal.until('Nothing was compacted.');
    await idle();
    await send('/compact the reports');
    await terminal.until(/Compact from [\d,]+ to [\d,]+ tokens\?/);
    expect(terminal.screen()).toContain('No longer sent to the model');
    terminal.type('y');
    await terminal.until(/◆ Compacted .* tokens · no longer sent: /);
    await idle();
    await shows('/session checkpoints', /^ {2}1 +.*[\d,]+ → [\d,]+ +@\d+ to @\d+$/m);
    await shows('/session checkpoints 1', /Everything that this summary covers is kept/);
    await shows('/session checkpoints 7', /7/);
    expect(readFileSync(join(world.cwd, 'hooked'), 'utf8')).toBe('compacted\n');
    await shows('/undo', 'Undone');
  });

  it('writes files: an export and AGENTS.md', async () => {
    await shows('/export shop.md', 'Written to shop.md.');
    expect(readFileSync(join(world.cwd, 'shop.md'), 'utf8')).toContain('first words');
    await shows('/session export shop.html', 'Written to shop.html.');
    await send('/init');
    await terminal.until(/Write AGENTS\.md\?[\s\S]*src\//);
    terminal.type('y');
    await terminal.until('Wrote AGENTS.md.');
    await idle();
    expect(existsSync(join(world.cwd, 'AGENTS.md'))).toBe(true);
    await shows('/init', 'AGENTS.md exists already.');
  });

  it('changes between sessions and mentions one', async () => {
    await shows('/fork copy', /This is a copy/);
    await shows('/new', 'New session.');
    await say('As in @session:shop please', 'You said: As in @session:shop please');
    expect(world.lastRequest()).toContain('second words');
    await shows('/sessions', /Alt-D delete/);
    await shows('/clear', 'New session.');
  });

  it('has driven every command, and leaves', async () => {
    const driven = (name: string) => typed.has(name);
    const missing = slashCommands.filter(({ name }) => !driven(name) && name !== 'exit').map(({ name }) => name);
    expect(missing).toEqual([]);
    await send('/exit');
    expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
  });
});

/** An amount of `/cost`. */
function amountOf({ name, screen }: { readonly name: string; readonly screen: string }): number {
  const [, digits = ''] = new RegExp(`\\b${name} ([\\d,]+)`).exec(screen) ?? [];
  return Number(digits.replaceAll(',', ''));
}

/** A small MCP server with two tools. */
const mcpServer = `
const tool = (name) => ({ name, description: name, inputSchema: { type: 'object', properties: {} } });
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shelf', version: '1' } }),
  'tools/list': () => ({ tools: [tool('find_book'), tool('lend_book')] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const reply = result ? { result } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n');
});
`;
