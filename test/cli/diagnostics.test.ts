import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { agentWorld, resultsIn } from './provider.ts';

const programs = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

test("after an edit the next request contains the new errors of the project's own tsc and biome, and no old ones", async () => {
  const edit = {
    name: 'edit',
    arguments: {
      file_path: 'a.ts',
      old_string: 'export const one = 1;',
      new_string: 'export const one: string = 1;\ndebugger;',
    },
  };
  const read = { name: 'read', arguments: { file_path: 'a.ts' } };
  const { cwd, call, server } = await agentWorld({
    script: ({ body }) => [{ toolCalls: [read] }, { toolCalls: [edit] }][resultsIn(body)] ?? { text: 'Done.' },
  });
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
  // As pnpm installs programs. A link that leads out of the folder would need an answer of its own.
  for (const name of ['tsc', 'biome'])
    writeFileSync(join(cwd, 'node_modules/.bin', name), `#!/bin/sh\nexec '${join(programs, name)}' "$@"\n`, {
      mode: 0o755,
    });
  writeFileSync(join(cwd, 'biome.json'), '{}');
  writeFileSync(join(cwd, 'tsconfig.json'), '{"compilerOptions":{"strict":true,"types":[]},"files":["a.ts"]}');
  writeFileSync(join(cwd, 'a.ts'), 'export const old: boolean = 2;\nexport const one = 1;\n');
  const settled = await call(['-p', 'Edit it.', '--yes']);
  expect(settled).toMatchObject({ code: 0, stdout: 'Done.\n' });
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent).toContain(
    "New errors after this change:\\n- a.ts:2 TS2322: Type 'number' is not assignable to type 'string'.",
  );
  expect(sent).toMatch(/- a\.ts:3 [^\\]*lint\/suspicious\/noDebugger/);
  expect(sent).not.toContain("type 'boolean'");
}, 60_000);
