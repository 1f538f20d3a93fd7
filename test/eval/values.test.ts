import { expect, test } from 'vitest';
import { pathsIn } from '../../eval/compact/fidelity/files.ts';
import { valuesIn } from '../../eval/compact/fidelity/values.ts';

const textsIn = (args: object | string) =>
  valuesIn(typeof args === 'string' ? args : JSON.stringify(args)).map(({ kind, text }) => `${kind} ${text}`);

test('arguments hold paths, ids and numbers of three or more digits', () => {
  expect(textsIn({ path: '/home/me/app/src/main.ts', offset: 1200, limit: 80 })).toEqual([
    'path /home/me/app/src/main.ts',
    'number 1200',
  ]);
  expect(textsIn({ command: 'git show e53647ba1f -- ./docs/a.md README.md && echo ENT-241' })).toEqual([
    'path ./docs/a.md',
    'path README.md',
    'id e53647ba1f',
    'id ENT-241',
  ]);
  expect(textsIn('first\\nsrc/a.ts\\n"42"')).toEqual(['path src/a.ts']);
});

test('members of objects, ends of tags and decimals are none of them', () => {
  expect(textsIn({ code: 'event.type === x && </div> 12.345 + v1' })).toEqual([]);
});

test('files are what tools read and changed, not what failed or was only searched', () => {
  const call = (id: string, args: object | string) => ({
    role: 'assistant' as const,
    parts: [
      {
        ...({ type: 'tool_call', origin: 'model', id, name: 't' } as const),
        ...(typeof args === 'string'
          ? { arguments: args, freeform: true as const }
          : { arguments: JSON.stringify(args) }),
      },
    ],
  });
  const failed = {
    role: 'tool' as const,
    parts: [{ type: 'tool_result', origin: 'tool', callId: 'c', content: [], isError: true } as const],
  };
  const messages = [
    call('a', { file_path: 'src/a.ts' }),
    call('b', '*** Begin Patch\n*** Update File: src/b.ts\n*** Add File: docs/c.md\n*** End Patch'),
    call('c', { path: 'src/missing.ts' }),
    failed,
    call('d', { path: 'src/searched.ts', pattern: 'x' }),
    call('e', { path: 'src/folder' }),
    call('f', 'no json'),
    call('g', { filePath: 'src/a.ts' }),
  ];
  expect(pathsIn(messages)).toEqual(['src/a.ts', 'src/b.ts', 'docs/c.md']);
});
