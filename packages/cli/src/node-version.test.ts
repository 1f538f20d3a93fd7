import { expect, test } from 'vitest';
import { nodeComplaint } from './node-version.ts';

test.each(['v24.0.0', 'v26.10.0', 'v100.0.0', 'v24.0.0-rc.1'])('%s is new enough', (version) => {
  expect(nodeComplaint({ version, needed: 24 })).toBeUndefined();
});

test.each(['v23.11.0', 'v20.20.2', 'v4.0.0', 'v0.12.18'])('%s is too old, in one line', (version) => {
  const complaint = nodeComplaint({ version, needed: 24 });
  expect(complaint).toContain('needs Node 24 or newer');
  expect(complaint).toContain(version.slice(1));
  expect(complaint).not.toContain('\n');
});
