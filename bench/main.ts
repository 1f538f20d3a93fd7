/** `npm run bench -- NAME [arguments]`: side-by-side measurements. */
const benches: Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>> = {
  tokens: () => import('./tokens/main.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = benches[name];
if (load) await (await load()).run(args);
else {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(benches).join(' | ')} [arguments]\n`);
  process.exitCode = 2;
}
