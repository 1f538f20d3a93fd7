import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createEngine, type EngineSession, type Pin, rulesOn } from 'longhaul/engine';
import { formatHandle } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { entryAt } from '../session/place.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';

interface PinOptions {
  readonly remove?: string;
}

/** `longhaul pin SESSION [TEXT]`. */
export function addPinCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('pin')
    .summary('the rules that every compaction carries on, word for word')
    .description(
      'Pins a rule: every compaction from now on carries it, byte for byte. Without a rule it lists those in force: pinned by hand, found in what you said, and in instruction files. What a tool or a model says never becomes one.',
    )
    .usage('SESSION [TEXT | --remove HANDLE]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .argument('[TEXT]', 'the rule, up to 500 tokens; all rules pinned by hand up to 2,000')
    .option('--remove <handle>', 'take a pin off, or all rules found in a message, e.g. @12');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul pin last', 'which rules are in force?'],
        ['longhaul pin last "Never push to main."', 'hold on to it'],
        ['longhaul pin last --remove @12', 'let go of it'],
      ],
    })}`,
  );
  bind<PinOptions>({ command, action: pin });
}

const pin: Action<PinOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const [wanted = '', text] = args;
  if (text !== undefined && options.remove !== undefined) throw textOrRemove();
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const engine = await createEngine({ store, secrets: secretsOf(io.env), clock: { now: io.now } });
      const session = await engine.open(header.id);
      if (text === undefined && options.remove === undefined) {
        const rules = await listed(session);
        await answer({
          invocation,
          value: { session: header.id, rules },
          lines: () => ruleLines({ rules, paint: paint('stdout') }),
        });
        return 0;
      }
      const done = await change({ store, session, text, remove: options.remove });
      await answer({
        invocation,
        value: { session: header.id, ...done },
        lines: () => [
          done.removed === null
            ? `pinned as ${done.handle}: ${printable(done.text ?? '')}`
            : `${done.removed} is no rule any more`,
        ],
      });
      return 0;
    },
  });
};

async function change({
  store,
  session,
  text,
  remove,
}: Pick<Opened, 'store'> & {
  readonly session: EngineSession;
  readonly text: string | undefined;
  readonly remove: string | undefined;
}) {
  const removed = remove === undefined ? undefined : await entryAt({ store, session: session.id, written: remove });
  const entry = await session.pin(removed ? { removes: removed.id } : { text: text ?? '' });
  return {
    handle: formatHandle({ entry: entry.handle }),
    text: entry.text ?? null,
    removed: removed ? formatHandle({ entry: removed.handle }) : null,
  };
}

/** A rule in force, for a program; the shape is described in docs/cli.md. */
interface Rule {
  readonly text: string;
  readonly by: Pin['by'];
  /** The very lines. */
  readonly from: string;
  /** What to name to take it off. */
  readonly entry: string;
}

async function listed({ session }: EngineSession): Promise<Rule[]> {
  const path = await session.path();
  const handles = new Map(path.map(({ id, handle }) => [id, handle]));
  return rulesOn(path, { root: session.header.cwd }).map(({ text, by, from, entry }) => ({
    text,
    by,
    from,
    entry: formatHandle({ entry: handles.get(entry) ?? 0 }),
  }));
}

const titles: Readonly<Record<Pin['by'], string>> = {
  hand: 'Pinned by hand',
  hook: 'Pinned by a hook',
  human: 'Found in what you said',
  instructions: 'Found in instruction files',
  skill: 'Found in loaded skills',
};

function ruleLines({ rules, paint }: { readonly rules: readonly Rule[]; readonly paint: Paint }): string[] {
  if (rules.length === 0) return ['No rules are in force.'];
  const sections = (['hand', 'hook', 'human', 'instructions', 'skill'] as const).map((by) => ({
    title: titles[by],
    rows: rules.filter((rule) => rule.by === by).map(({ from, text }) => [from, printable(text)]),
  }));
  return sections
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ title, rows }, index) => [
      ...(index === 0 ? [] : ['']),
      paint.strong(title),
      ...columns({ rows, indent: '  ' }),
    ]);
}

function textOrRemove(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'pin takes either a rule or --remove, not both.',
    hint: 'Write `longhaul pin SESSION "the rule"`, or --remove HANDLE in place of the rule.',
  });
}
