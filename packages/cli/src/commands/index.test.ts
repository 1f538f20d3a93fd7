import { expect, test } from 'vitest';
import { promptCommand } from '../argv.ts';
import { buildProgram, commands, commandTerm } from './index.ts';

const build = (argv: readonly string[]) =>
  buildProgram({ argv, bind: () => {}, output: { out: () => {}, err: () => {}, columns: 100 } });

test('only the commands named on the command line are loaded', async () => {
  const program = await build(['check', 'a.json']);
  const loaded = program.commands.filter((command) => command.description() !== '').map((command) => command.name());
  expect(loaded).toEqual(['check']);
});

test('the help of the program lists every command as its file defines it', async () => {
  const program = await build(commands.map(({ name }) => name));
  expect(program.commands.map((command) => command.name())).toEqual(commands.map(({ name }) => name));
  const listed = commands.filter(({ name }) => name !== promptCommand);
  for (const { name, term } of listed) {
    const command = program.commands.find((other) => other.name() === name);
    expect(command && commandTerm({ command })).toBe(term);
    expect(command?.description()).not.toBe('');
  }
});
