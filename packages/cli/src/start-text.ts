import type { Io } from './io/io.ts';
import { columns } from './text/table.ts';

/**
 * What `longhaul` without arguments prints: how to start, and which models can be used.
 *
 * @example
 * await io.stderr.write(await startText({ io }));
 */
export async function startText({ io }: { readonly io: Pick<Io, 'env' | 'models'> }): Promise<string> {
  const listed = await io.models.list({ env: io.env, probe: true }).catch(() => []);
  const ready = listed.filter(({ configured }) => configured);
  const sources = ready.map(({ provider, keyFrom, server }) => [
    provider,
    server ?? (keyFrom === undefined ? 'no key needed' : `key from ${keyFrom}`),
  ]);
  const lines = [
    'Usage: longhaul -p "…" [options]',
    '       longhaul COMMAND [options]',
    '',
    ...columns({
      rows: [
        ['longhaul -p "What does this project do?"', 'run the agent in this folder'],
        ['longhaul demo', 'watch an agent work, without a key or network'],
        ['longhaul --help', 'list all commands'],
      ],
      indent: '  ',
    }),
    '',
    ...(ready.length > 0
      ? ['Models:', ...columns({ rows: sources, indent: '  ' })]
      : ['No model can be used yet. Do one of these:', ...columns({ rows: ways, indent: '  ' })]),
    '',
    '`longhaul models` lists all models and what each provider needs.',
  ];
  return `${lines.join('\n')}\n`;
}

const ways = [
  ['set a key', 'ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY'],
  ['start a local server', 'Ollama, llama.cpp, LM Studio or vLLM; at another address: LONGHAUL_LOCAL_URL'],
];
