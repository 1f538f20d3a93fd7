import type { CatalogClient } from './catalog.ts';
import type { ScenarioRun } from './run-scenario.ts';
import type { Scenario } from './scenarios.ts';

/** The verdict on one client in one scenario. */
export interface ScenarioResult {
  /** A row of the table. */
  readonly line: string;
  readonly problems: readonly string[];
}

/** Compares a run behind the gateway with the direct one. */
export function judgeRun({
  client,
  scenario,
  direct,
  wrapped,
}: {
  readonly client: CatalogClient;
  readonly scenario: Scenario;
  readonly direct: ScenarioRun;
  readonly wrapped: ScenarioRun;
}): ScenarioResult {
  const { account, compactions, epochs } = wrapped;
  const problems = [
    ...difference({ what: 'exit codes', direct: direct.codes, wrapped: wrapped.codes }),
    ...wrapped.errors.filter((_, at) => wrapped.codes[at] !== direct.codes[at]).map((text) => text.slice(-600)),
    ...difference({ what: 'final texts', direct: direct.texts, wrapped: wrapped.texts }),
    ...difference({ what: 'files', direct: direct.files, wrapped: wrapped.files }),
    ...[...wrapped.texts, ...Object.values(wrapped.files)]
      .filter((text) => /LOST/.test(text))
      .map((text) => `lost: ${text}`),
    ...(direct.texts.some((text) => !text.startsWith('Report:'))
      ? [`no report without the gateway: ${direct.texts.join(' | ')} ${direct.rejected[0] ?? ''}`]
      : []),
    ...(compactions < scenario.compactions ? [`${compactions} compactions, expected ${scenario.compactions}`] : []),
    // What the client changes by itself breaks the prefix without the gateway as well.
    ...(account.hitRateBetweenEpochs < 0.95 ? account.breaks : [])
      .filter(({ item }) => !direct.account.breaks.some((known) => known.item === item))
      .map(
        ({ request, expected, cached, item }) =>
          `request ${request} repeats ${cached} of ${expected} characters of the one before; the first new item is ${item}`,
      ),
    ...(scenario.isUsageScaled && direct.summaries === 0 ? ['the client did not compact by itself'] : []),
    ...[...new Set(wrapped.rejected)]
      .filter((line) => !direct.rejected.includes(line))
      .map((line) => `rejected: ${line}`),
  ];
  const cells = [
    client.name,
    scenario.name,
    `${direct.requests} / ${wrapped.requests}`,
    size(direct.account.total),
    size(account.total),
    `${compactions} of ${epochs}`,
    `${direct.summaries} / ${wrapped.summaries}`,
    `${percent(account.hitRateBetweenEpochs)} (${percent(direct.account.hitRateBetweenEpochs)})`,
    percent(account.hitRate),
    `${wrapped.seconds.toFixed(0)} s`,
    problems.length === 0 ? 'ok' : `${problems.length} problems`,
  ];
  return { line: `| ${cells.join(' | ')} |`, problems };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function size(characters: number): string {
  return `${Math.round(characters / 1000).toLocaleString('en-US')}k`;
}

function difference({
  what,
  direct,
  wrapped,
}: {
  readonly what: string;
  readonly direct: unknown;
  readonly wrapped: unknown;
}) {
  const [expected, got] = [JSON.stringify(direct), JSON.stringify(wrapped)];
  return expected === got ? [] : [`${what}: ${got}, without the gateway ${expected}`];
}
