import { type Policy, presets } from 'longhaul/engine';
import type { Paint } from '../text/paint.ts';
import { columns } from '../text/table.ts';
import { fields, sentences } from './fields.ts';

const names = Object.keys(presets) as (keyof typeof presets)[];
const keys = Object.keys(fields) as (keyof typeof fields)[];

/** All presets side by side. `inForce` is the one of the settings, with what they change of it. */
export function presetTable({ inForce, paint }: { readonly inForce: Policy; readonly paint: Paint }): string[] {
  const heading = ['', ...names.map((name) => paint.strong(name === inForce.name ? `${name} *` : name))];
  const rows = keys.map((key) => [fields[key].label, ...names.map((name) => fields[key].value(presets[name]))]);
  return [
    ...columns({ rows: [heading, ...rows] }),
    '',
    ...columns({ rows: names.map((name) => [paint.strong(name), sentences[name] ?? '']) }),
    '',
    ...forceLines({ inForce }),
    paint.faint('longhaul presets NAME explains each line.'),
  ];
}

/** One preset, with a sentence for each of its members. */
export function presetLines({
  preset,
  inForce,
  paint,
}: {
  readonly preset: Policy;
  readonly inForce: Policy;
  readonly paint: Paint;
}): string[] {
  const explained = keys.flatMap((key) => {
    const { label, sentence, value } = fields[key];
    return [`${label}: ${paint.strong(value(preset))}`, paint.faint(`    ${sentence}`)];
  });
  const isChosen = preset.name === inForce.name;
  return [
    `${paint.strong(preset.name)}  ${sentences[preset.name] ?? ''}`,
    '',
    ...explained,
    ...(isChosen ? ['', ...forceLines({ inForce })] : []),
  ];
}

function forceLines({ inForce }: { readonly inForce: Policy }): string[] {
  const preset = presets[inForce.name as keyof typeof presets];
  const changed = keys
    .filter((key) => fields[key].value(preset) !== fields[key].value(inForce))
    .map((key) => `${fields[key].label}: ${fields[key].value(inForce)}`);
  const but = changed.length === 0 ? '' : `, but by your settings ${changed.join('; ')}`;
  return [`* In force here: ${inForce.name}${but}.`];
}
