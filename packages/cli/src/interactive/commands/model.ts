import { modelInfo } from 'longhaul/models';
import { chooseModel } from '../../agent/choose-model.ts';
import { wireLimitsOf } from '../../models/wire-limits.ts';
import { number } from '../../text/number.ts';
import type { SlashCommand } from '../app/command.ts';
import type { Interactive } from '../app/interactive.ts';
import { type CommandResult, type PickerItem, textResult } from '../app/result.ts';

export const modelCommands: readonly SlashCommand[] = [
  {
    name: 'model',
    hint: '[provider/name]',
    help: 'Switch the model; shows windows and prices',
    isLive: true,
    complete: async ({ app }) =>
      (await modelItems(app)).map(({ id, detail }) => ({ value: id, ...(detail !== undefined && { detail }) })),
    run: async ({ app, text }) => {
      if (text !== '') return await choose({ app, name: text });
      return [
        {
          kind: 'picker',
          title: 'Model',
          items: await modelItems(app),
          selected: app.view.status.model,
          empty: 'No provider is configured.',
          actions: [{ label: 'use', run: async (name) => await choose({ app, name }) }],
        },
      ];
    },
  },
];

async function modelItems(app: Interactive): Promise<readonly PickerItem[]> {
  const { io } = app.setup;
  const listed = await io.models.list({ env: io.env, probe: true, limits: wireLimitsOf(app.values) });
  return listed
    .toSorted((a, b) => Number(b.configured) - Number(a.configured))
    .flatMap(({ configured, models, missing }) =>
      models.map((name) => ({
        id: name,
        label: name,
        detail: detailOf(name),
        ...(!configured && { disabled: missing ?? 'not configured' }),
      })),
    );
}

function detailOf(name: string): string {
  const [provider = '', ...rest] = name.split('/');
  const { known, window, prices } = modelInfo({ provider, name: rest.join('/') });
  const price = prices ? `, $${prices.input} in, $${prices.output} out per million` : '';
  return known ? `${number(window)} tokens${price}` : 'unknown window';
}

/** A model whose window is too small for the conversation is used after a compaction by the old one. */
async function choose({
  app,
  name,
}: {
  readonly app: Interactive;
  readonly name: string;
}): Promise<readonly CommandResult[]> {
  const model = await chooseModel({ values: { ...app.values, model: name }, io: app.setup.io });
  const shown = `${model.id.provider}/${model.id.name}`;
  const go = async (): Promise<readonly CommandResult[]> => {
    // While the agent works, the switch happens before its next request.
    const switched = app.agent.switchModel(model).then(() => app.refreshContext());
    if (app.isWorking) return [textResult(`${shown} is used from the next request on.`)];
    await switched;
    return [textResult(`${shown} is used from now on.`)];
  };
  const { tokens, bound, budget, fits } = await app.session.preflight({ model });
  if (fits) return await go();
  return [
    {
      kind: 'confirm',
      title: `The conversation is too long for ${shown}.`,
      body: [
        textResult(
          `It has ${number(tokens)} tokens (at most ${number(bound)}), and ${shown} takes ${number(budget.limit)}. ${app.view.status.model} compacts it first; /undo brings everything back.`,
        ),
      ],
      choices: [
        { key: 'y', label: 'compact and switch', run: go },
        { key: 'n', label: 'keep the model', run: async () => [] },
      ],
    },
  ];
}
