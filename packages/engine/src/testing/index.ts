/**
 * Test doubles for code that talks to models: a scripted model, loopback providers that speak the real protocols and
 * reject what the real ones reject, sessions from a seed, a fake clock.
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
