/** `npm run eval -- NAME [arguments]`: how good it is, judged on real sessions. */
const evals: Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>> = {
  tokens: () => import('./tokens/main.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = evals[name];
if (load) await (await load()).run(args);
else {
  process.stderr.write(`Usage: npm run eval -- ${Object.keys(evals).join(' | ')} [arguments]\n`);
  process.exitCode = 2;
}
