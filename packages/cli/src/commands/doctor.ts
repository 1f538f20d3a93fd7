import type { Command } from 'commander';
import type { DoctorProblem, DoctorReport } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { createProgress } from '../output/progress.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

interface DoctorOptions {
  readonly fix?: true;
}

/** `longhaul doctor [SESSION]`. */
export function addDoctorCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('doctor')
    .description(
      'Checks the store or one session: files, entries, the tree, blobs, catalog and index, whether the disk is writable, and impossible timestamps. With --fix it saves everything readable into a repaired session and moves the damaged original aside; nothing is overwritten.',
    )
    .usage('[SESSION] [options]')
    .argument('[SESSION]', `only this session: ${sessionArgument}`)
    .option('--fix', 'repair, and move damaged originals aside');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul doctor', 'the whole store'],
        ['longhaul doctor last', 'one session'],
        ['longhaul doctor --fix', 'repair what is damaged'],
      ],
    })}\n\nThe exit code is 0 when the store is intact (also when empty, or with harmless leftovers of a kill), 1 when it\nis damaged, and 0 after a successful repair.`,
  );
  bind<DoctorOptions>({ command, action: examine });
}

const examine: CommandAction<DoctorOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  return await withStore({
    creates: true,
    invocation,
    work: async ({ store, dir }) => {
      const [wanted] = args;
      const session = wanted === undefined ? undefined : (await findSession({ store, wanted })).header.id;
      const progress = createProgress({ io });
      await progress.show('examining');
      const report = await store
        .doctor({ ...(session !== undefined && { session }), ...(options.fix && { fix: true }) })
        .finally(progress.clear);
      await printResult({
        invocation,
        value: report,
        lines: () => reportLines({ report, dir, paint: paint('stdout') }),
      });
      return report.sound ? 0 : 1;
    },
  });
};

function reportLines({
  report,
  dir,
  paint,
}: {
  readonly report: DoctorReport;
  readonly dir: string;
  readonly paint: Paint;
}): string[] {
  const { sound, sessions, problems, leftovers } = report;
  const examined = count({ amount: sessions.length, of: 'session' });
  const all = [...problems, ...sessions.filter((one) => !one.sound).flatMap((one) => one.problems)];
  // Problems that `--fix` cannot repair are not damage to stored data.
  const isDamaged = all.some(({ hint }) => hint === undefined);
  const verdict = sound ? paint.good('intact') : paint.bad(isDamaged ? 'damaged' : 'not usable as it is');
  const lines = [`${printable(dir)}: ${verdict} (${examined} examined)`];
  for (const { session, problems: found, repaired } of sessions) {
    if (found.length === 0 && !repaired) continue;
    lines.push(`  ${paint.strong(session)}`, ...found.map((problem) => `    ${problemText(problem)}`));
    if (repaired) {
      const entries = count({ amount: repaired.entries, of: 'entry' });
      lines.push(`    ${paint.good('repaired')}: ${entries} saved; the original is in ${printable(repaired.setAside)}`);
    }
  }
  lines.push(...problems.map((problem) => `  ${problemText(problem)}`));
  if (leftovers.length > 0) {
    lines.push(paint.faint(`  ${count({ amount: leftovers.length, of: 'leftover' })} of interrupted work, harmless`));
  }
  if (isDamaged)
    lines.push(paint.faint('Run `longhaul doctor --fix` to save what is readable; nothing is overwritten.'));
  return lines;
}

function problemText({ where, what, hint }: DoctorProblem): string {
  const sentence = `${printable(where)}: ${printable(what)}`;
  return hint === undefined ? sentence : `${sentence}. ${printable(hint)}`;
}
