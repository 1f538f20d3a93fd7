import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createEngine, type EngineSession, type Pin } from 'longhaul/engine';
import { formatHandle } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { entryAt } from '../session/position.ts';
import { type RuleInForce, rulesInForce } from '../session/rules-in-force.ts';
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
    .description(
      'Pins a rule: every later compaction keeps it byte for byte. Without a text it lists the rules in force: pinned by hand, found in your messages, and from instruction files. Text of tools or models never becomes a rule.',
    )
    .usage('SESSION [TEXT | --remove HANDLE]')
    .argument('<SESSION>', sessionArgument)
    .argument('[TEXT]', 'the rule, up to 500 tokens; all hand-pinned rules together up to 2,000')
    .option('--remove <handle>', 'remove a pin, or all rules found in a message, e.g. @12');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul pin last', 'list the rules in force'],
        ['longhaul pin last "Never push to main."', 'pin a rule'],
        ['longhaul pin last --remove @12', 'remove it'],
      ],
    })}`,
  );
  bind<PinOptions>({ command, action: pin });
}

const pin: CommandAction<PinOptions> = async (invocation) => {
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
        const rules = await rulesInForce(session);
        await printResult({
          invocation,
          value: { session: header.id, rules },
          fits: true,
          lines: () => ruleLines({ rules, paint: paint('stdout') }),
        });
        return 0;
      }
      const done = await change({ store, session, text, remove: options.remove });
      await printResult({
        invocation,
        value: { session: header.id, ...done },
        lines: () => [
          done.removed === null
            ? `pinned as ${done.handle}: ${printable(done.text ?? '')}`
            : `${done.removed} is no longer a rule`,
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

const titles: Readonly<Record<Pin['by'], string>> = {
  hand: 'Pinned by hand',
  hook: 'Pinned by a hook',
  human: 'Found in your messages',
  instructions: 'Found in instruction files',
  skill: 'Found in loaded skills',
};

function ruleLines({ rules, paint }: { readonly rules: readonly RuleInForce[]; readonly paint: Paint }): string[] {
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
    message: 'pin takes either a text or --remove, not both.',
    hint: 'Run `longhaul pin SESSION "the rule"`, or use --remove HANDLE.',
  });
}
