import { type ModelInfo, modelInfo } from 'longhaul/models';
import type { ListedProvider } from 'longhaul/models/clients';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';

/** What is known of a listed model. A server's own models are not in the tables, and what is not known is not told. */
function infoOf(name: string): ModelInfo {
  const [provider = '', ...model] = name.split('/');
  return modelInfo({ provider: provider === 'openai-chat' ? 'openai' : provider, name: model.join('/') });
}

/** The shape is described in docs/cli.md. */
export function listedJson({ models, ...rest }: ListedProvider): object {
  const { provider, configured, missing = null, baseUrl = null, from = null, keyFrom = null, server = null } = rest;
  return {
    ...{ provider, configured, missing, baseUrl, baseUrlFrom: from, keyFrom, server },
    models: models.map((name) => {
      const { window, maxOutput, prices = null, known, note = null } = infoOf(name);
      return { name, window: known ? window : null, maxOutput: known ? maxOutput : null, prices, note };
    }),
  };
}

export function listedLines({
  listed,
  paint,
}: {
  readonly listed: readonly ListedProvider[];
  readonly paint: Paint;
}): string[] {
  const ready = listed.filter(({ configured }) => configured);
  const others = listed.filter(({ configured }) => !configured);
  return [
    ...ready.flatMap((provider) => [...readyLines({ provider, paint }), '']),
    ...(ready.length > 0 ? [paint.faint('Prices are dollars for a million tokens.'), ''] : []),
    ...(ready.length === 0 ? ['Nothing is configured yet. Set a key, or start a server such as Ollama.', ''] : []),
    ...(others.length > 0 ? [paint.faint('Not configured:')] : []),
    ...columns({ rows: others.map(({ provider, missing = '' }) => [provider, printable(missing)]), indent: '  ' }),
  ];
}

function readyLines({
  provider: listed,
  paint,
}: {
  readonly provider: ListedProvider;
  readonly paint: Paint;
}): string[] {
  const { provider, server, baseUrl, from, keyFrom, models } = listed;
  const about = [
    ...(server === undefined ? [] : [server]),
    ...(from !== undefined || server !== undefined ? [`at ${printable(baseUrl ?? '')}`] : []),
    keyFrom === undefined ? 'no key' : `key from ${keyFrom}`,
    ...(from === undefined ? [] : [`address from ${from}`]),
  ];
  const rows = models.map((name) => [printable(name), ...figuresOf(infoOf(name))]);
  const none = 'no models are known; any name may be tried';
  return [
    `${paint.strong(provider)}  ${about.join(', ')}`,
    ...(rows.length === 0 ? [`  ${none}`] : columns({ rows, indent: '  ' })),
  ];
}

/** Dollars are for a million tokens. */
function figuresOf({ known, window, prices }: ModelInfo): string[] {
  if (!known) return ['window not known'];
  if (!prices) return [`${number(window)} tokens`];
  const { input, output, cacheRead } = prices;
  const cached = cacheRead === undefined ? '' : `, $${cacheRead} cached`;
  return [`${number(window)} tokens`, `$${input} in, $${output} out${cached}`];
}
