import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, longhaul } from '../cli/longhaul.ts';
import { openTerminal } from './terminal.ts';

it('handoff starts the agent in the terminal with the prompt as one argument, and ends with its exit code', async () => {
  const cwd = folder();
  const lines = [
    { role: 'user', content: 'List the files.' },
    { role: 'assistant', content: 'There are two.' },
  ];
  writeFileSync(join(cwd, 'chat.json'), JSON.stringify(lines));
  await longhaul({ args: ['import', 'chat.json'], cwd });
  writeFileSync(join(cwd, 'codex'), '#!/bin/sh\necho "arguments: $#"\necho "$1" | grep "^User:"\nexit 7\n');
  chmodSync(join(cwd, 'codex'), 0o755);
  const terminal = openTerminal({
    args: ['handoff', 'codex'],
    cwd,
    env: { PATH: `${cwd}${delimiter}${process.env.PATH}` },
  });
  expect(await terminal.ended).toMatchObject({ code: 7 });
  expect(terminal.everything()).toMatch(/arguments: 1\s+User: List the files\./);
});
