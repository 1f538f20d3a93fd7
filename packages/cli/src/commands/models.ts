import type { Command } from 'commander';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { checkJson, checkLines } from '../models/check-lines.ts';
import { listedJson, listedLines } from '../models/list-lines.ts';
import { tinyCall } from '../models/tiny-call.ts';
import { wireLimitsOf, wireSettings } from '../models/wire-limits.ts';
import { answer } from '../output/answer.ts';
import { waiting } from '../output/waiting.ts';
import { addSettingFlags } from '../settings/flags.ts';

/** `longhaul models` and `longhaul models check NAME`. */
export function addModelsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const models = program
    .command('models')
    .summary('which models can be used, and what is missing for the others')
    .description(
      'Lists who can be asked: models with their windows and prices, where the key comes from, and what is missing. Servers on this machine are asked for their models; nothing else is sent.',
    )
    .usage('[options]');
  models.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul models', 'what is configured?'],
        ['longhaul models --json', 'with all figures, also of what is not configured'],
        ['longhaul models check anthropic/claude-opus-5', 'does it answer?'],
      ],
    })}\n\nThe exit code is 1 when nothing is configured.`,
  );
  bind<object>({ command: models, action: list });

  const check = models
    .command('check')
    .summary('one tiny call, and what came of it')
    .description(
      'Sends a model one short sentence, and says how long it took and what it cost, or in one sentence why it failed and what to do.',
    )
    .usage('NAME [options]')
    .argument('<NAME>', 'provider/model, e.g. anthropic/claude-opus-5, or local/MODEL');
  check.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul models check openai/gpt-5', 'is the key good?'],
        ['longhaul models check local/qwen3', 'does the server on this machine answer?'],
      ],
    })}\n\nThe exit code is 1 when it does not answer.`,
  );
  addSettingFlags({ command: check, keys: wireSettings });
  bind<object>({ command: check, action: checkOne });
}

const list: Action<object> = async (invocation) => {
  const { io, paint } = invocation;
  const limits = wireLimitsOf((await invocation.settings()).values);
  const listed = await io.models.list({ env: io.env, probe: true, limits });
  await answer({
    invocation,
    value: { providers: listed.map(listedJson) },
    lines: () => listedLines({ listed, paint: paint('stdout') }),
  });
  return listed.some(({ configured }) => configured) ? 0 : 1;
};

const checkOne: Action<object> = async (invocation) => {
  const { io, args, paint } = invocation;
  const [name = ''] = args;
  const limits = wireLimitsOf((await invocation.settings()).values);
  const model = await io.models.create({ name, env: io.env, limits, retry: false });
  const called = await waiting({
    io,
    text: `waiting for ${name}`,
    calledOff: 'the model was not waited for',
    work: (signal) => tinyCall({ model, signal, now: io.now }),
  });
  await answer({
    invocation,
    value: checkJson({ name, called }),
    lines: () => checkLines({ name, called, paint: paint('stdout') }),
  });
  return called.failure ? 1 : 0;
};
