import { isRecord } from '../../input/is-record.ts';
import type { Io } from '../../io/io.ts';
import { pathOf } from '../../io/path-of.ts';
import type { SlashCommand } from '../app/command.ts';
import type { Interactive } from '../app/interactive.ts';
import { type CommandResult, textResult } from '../app/result.ts';

const fileName = 'AGENTS.md';

/** Larger files are not read. Bytes. */
const mostBytes = 256 * 1024;

/** Entries of the folder that are listed. */
const mostEntries = 40;

export const initCommands: readonly SlashCommand[] = [
  {
    name: 'init',
    help: `Write ${fileName} from what is in this folder; shown first`,
    run: async ({ app }) => await init(app),
  },
];

async function init(app: Interactive): Promise<readonly CommandResult[]> {
  const { io } = app.setup;
  const path = pathOf(io).join(io.cwd, fileName);
  const byAgent = {
    key: 'a',
    label: 'let the agent write it after reading the project',
    run: async () => {
      await app.prompt({ text: agentPrompt });
      return [];
    },
  };
  const cancel = { key: 'n', label: 'write nothing', run: async () => [] };
  if ((await io.files.stat(path)) !== undefined) {
    return [
      {
        kind: 'confirm',
        title: `${fileName} exists already.`,
        body: [],
        choices: [{ ...byAgent, label: 'let the agent check and improve it' }, cancel],
      },
    ];
  }
  const text = await describeFolder({ io });
  const write = async (): Promise<readonly CommandResult[]> => {
    await io.files.create({ path, text, mode: 0o644 });
    return [textResult(`Wrote ${fileName}. The agent reads it from the next prompt on.`)];
  };
  return [
    {
      kind: 'confirm',
      title: `Write ${fileName}?`,
      body: [{ kind: 'text', format: 'markdown', text }],
      choices: [{ key: 'y', label: 'write', run: write }, byAgent, cancel],
    },
  ];
}

const agentPrompt = `Write ${fileName} for this project, or improve the one that is there. Read the build files, the README and some of the sources first. Keep it under 60 lines: what the project is, how to build, test and lint it (exact commands), how the sources are organized, and conventions that are not obvious from the code. Leave out what is generic.`;

/**
 * A first version of AGENTS.md: facts from build files, nothing guessed.
 *
 * @example
 * await describeFolder({ io }); // '# billing\n\n## Commands\n…'
 */
async function describeFolder({ io }: { readonly io: Pick<Io, 'cwd' | 'files' | 'platform'> }): Promise<string> {
  const { basename, join } = pathOf(io);
  const read = async (name: string): Promise<string | undefined> => {
    const facts = await io.files.stat(join(io.cwd, name)).catch(() => undefined);
    if (facts?.kind !== 'file' || facts.bytes > mostBytes) return undefined;
    return Buffer.from(await io.files.head({ path: join(io.cwd, name), bytes: mostBytes })).toString('utf8');
  };
  const manifest = jsonOf(await read('package.json'));
  const name = typeof manifest.name === 'string' && manifest.name !== '' ? manifest.name : basename(io.cwd);
  const commands = [
    ...npmCommands({ manifest, isPnpm: (await read('pnpm-lock.yaml')) !== undefined }),
    ...makeCommands((await read('Makefile')) ?? ''),
    ...((await read('Cargo.toml')) === undefined ? [] : ['- `cargo build`', '- `cargo test`']),
    ...((await read('go.mod')) === undefined ? [] : ['- `go build ./...`', '- `go test ./...`']),
    ...((await read('pyproject.toml'))?.includes('pytest') ? ['- `pytest`'] : []),
  ];
  const about =
    typeof manifest.description === 'string' ? manifest.description : firstParagraph((await read('README.md')) ?? '');
  const entries = (await io.files.list(io.cwd))
    .filter((entry) => !entry.name.startsWith('.') && !left.has(entry.name))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const folders = entries.filter(({ kind }) => kind === 'folder').map((entry) => `- \`${entry.name}/\``);
  const sections = [
    `# ${name}`,
    ...(about === '' ? [] : [about]),
    ...(commands.length === 0 ? [] : ['## Commands', commands.join('\n')]),
    ...(folders.length === 0 ? [] : ['## Layout', folders.slice(0, mostEntries).join('\n')]),
    '## Conventions',
    '- (Add what is not obvious from the code: style, review rules, what never to do.)',
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Folders that hold no sources. */
const left: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'build',
  'target',
  'vendor',
  'coverage',
  '__pycache__',
]);

function jsonOf(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function npmCommands({
  manifest,
  isPnpm,
}: {
  readonly manifest: Record<string, unknown>;
  readonly isPnpm: boolean;
}): string[] {
  const { scripts } = manifest;
  if (!isRecord(scripts)) return [];
  const runner = isPnpm ? 'pnpm' : 'npm';
  const lines = Object.entries(scripts).flatMap(([name, script]) =>
    typeof script === 'string' ? [`- \`${runner} ${name === 'test' ? 'test' : `run ${name}`}\`: \`${script}\``] : [],
  );
  return lines.slice(0, mostEntries);
}

function makeCommands(text: string): string[] {
  const targets = [...text.matchAll(/^([a-zA-Z][\w-]*)\s*:(?!=)/gm)].map(([, target]) => `- \`make ${target}\``);
  return [...new Set(targets)].slice(0, mostEntries);
}

function firstParagraph(text: string): string {
  const paragraph = text.split(/\n\s*\n/).find((each) => /^[A-Za-z]/.test(each.trim())) ?? '';
  return paragraph.replace(/\s+/g, ' ').trim().slice(0, 500);
}
