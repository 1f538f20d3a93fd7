import type { Command } from 'commander';
import { advanceFrontier, createFrontier, type Frontier, frontierLines, sourceItems } from 'longhaul/engine';
import { formatHandle, openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withReadOnlyStore } from '../store/with-store.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** `longhaul frontier SESSION`. */
export function addFrontierCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('frontier')
    .description(
      'Shows the state of the work, derived from events rather than from what the model claims: tasks done, active, failed and abandoned, the last commands with their exit codes, the latest test results, files read and changed, processes still running. Each with the handle of its entry.',
    )
    .usage('SESSION')
    .argument('<SESSION>', sessionArgument);
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul frontier last', 'the state of the work'],
        ['longhaul recall last @42', 'the exact text of an entry'],
        ['longhaul frontier last --json', 'everything, as JSON'],
      ],
    })}`,
  );
  bind({ command, action: showFrontier });
}

const showFrontier: CommandAction<object> = async (invocation) => {
  const { args, paint } = invocation;
  return await withReadOnlyStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const live = await openSession({ store, id: header.id, allowDamage: true });
      const frontier = advanceFrontier({
        frontier: createFrontier(header.cwd === undefined ? {} : { root: header.cwd }),
        items: sourceItems(await live.path()),
      });
      await printResult({
        invocation,
        value: { session: header.id, ...frontierJson(frontier) },
        lines: () => textLines({ frontier, paint: paint('stdout') }),
      });
      return 0;
    },
  });
};

/** The JSON output; see docs/cli.md. Lists are ordered by last change, newest last. */
function frontierJson({ root, tasks, plan, commands, tests, files, processes, forgotten }: Frontier): object {
  const at = (entry: number | undefined) => (entry === undefined ? null : formatHandle({ entry }));
  return {
    root: root ?? null,
    tasks: tasks.map(({ list, id, text, status, handle }) => ({
      list,
      id: id ?? null,
      text,
      status,
      handle: at(handle),
    })),
    plan: plan ? { ...plan, handle: at(plan.handle) } : null,
    commands: commands.map(({ command, state, exit, handle }) => ({
      command,
      state,
      exit: exit ?? null,
      handle: at(handle),
    })),
    tests: tests.map(({ command, runner, result, passed, failed, skipped, handle }) => ({
      command,
      runner,
      result,
      passed: passed ?? null,
      failed: failed ?? null,
      skipped: skipped ?? null,
      handle: at(handle),
    })),
    files: files.map(({ path, read, changed, isDeleted, hash }) => ({
      path,
      read: at(read),
      changed: at(changed),
      deleted: isDeleted === true,
      hash: hash ?? null,
    })),
    processes: processes.map(({ id, command, handle }) => ({ id, command, handle: at(handle) })),
    forgotten,
  };
}

function textLines({ frontier, paint }: { readonly frontier: Frontier; readonly paint: Paint }): string[] {
  const sections = frontierLines({ frontier, limits: { changed: 20, read: 20 } });
  if (sections.length === 0) return ['Nothing is known yet: no tool was called.'];
  return sections.flatMap(({ title, lines }, index) => [
    ...(index === 0 ? [] : ['']),
    paint.strong(title),
    ...lines.map((line) => `  ${printable(line)}`),
  ]);
}
