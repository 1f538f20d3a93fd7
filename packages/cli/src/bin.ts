#!/usr/bin/env node
import { nodeComplaint } from './node-version.ts';

const complaint = nodeComplaint({ version: process.version, needed: 24 });
if (complaint === undefined) {
  // Newer syntax may be parsed only after the version check.
  import('./main.ts');
} else {
  console.error(complaint);
  process.exitCode = 2;
}
