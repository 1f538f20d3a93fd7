import fc from 'fast-check';
import { caseSeed } from '../packages/engine/src/testing/runs.ts';

// A property with a seed of its own, or in a soak, keeps it.
fc.configureGlobal({ seed: caseSeed() });
