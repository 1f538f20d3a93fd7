#!/usr/bin/env node
import { nodeComplaint } from './node-version.ts';

const complaint = nodeComplaint({ version: process.version, needed: 24 });
if (complaint === undefined) {
  // Only now may newer syntax be parsed.
  import('./main.ts');
} else {
  console.error(complaint);
  process.exitCode = 2;
}
