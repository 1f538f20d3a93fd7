/**
 * Judges and stand-ins for tests of anything that talks to models: a model from a script, providers on loopback that
 * speak the real protocols and refuse what the real ones refuse, sessions from a seed, a clock that stands still.
 *
 * @module
 */
export { createClock, type FakeClock } from './clock.ts';
export * from './judge/index.ts';
export * from './loopback/index.ts';
export { createRandom, type Random } from './random.ts';
export {
  type Script,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  scriptedModel,
} from './scripted-model.ts';
export { generateSession, type SessionOptions } from './session/generate.ts';
export { sessionTools } from './session/tools.ts';
export { characterTokenizer } from './tokenizer.ts';
