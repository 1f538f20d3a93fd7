import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { folder, longhaul } from './longhaul.ts';

/** Runs commands against a store in a folder of their own. */
export function world({ env = {} }: { readonly env?: Record<string, string> } = {}) {
  const cwd = folder();
  const call = (...args: readonly string[]) => longhaul({ args: [...args, '--store', 'store'], cwd, env });
  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await call('--json', ...args);
    expect(stderr).toBe('');
    return { code, value: JSON.parse(stdout) };
  };
  const file = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  return { cwd, call, json, file };
}
