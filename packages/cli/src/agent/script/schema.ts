import { dialects } from 'longhaul/message';
import { z } from 'zod';

const tokens = z.int().min(0);

const call = z.strictObject({
  name: z.string().min(1).describe('A tool: read, write, edit, bash, grep, find, ls, todo, recall, …'),
  arguments: z.record(z.string(), z.json()).default({}).describe('What the tool is given.'),
  id: z.string().min(1).optional().describe('The id of the call; made up where it is left out.'),
});

const answer = z
  .strictObject({
    thinking: z.string().optional().describe('What the model thinks before it speaks.'),
    text: z.string().optional().describe('What it says.'),
    toolCalls: z.array(call).optional().describe('What it calls. The tools are real.'),
    failure: z
      .enum(['overflow', 'rate', 'quota', 'auth', 'network', 'refused', 'invalid', 'unknown'])
      .optional()
      .describe('Ends in this failure, after what was said before it.'),
    reason: z
      .enum(['stop', 'length', 'tool_calls', 'refused', 'paused'])
      .optional()
      .describe('How it ends; by default `tool_calls` where there are calls, else `stop`.'),
    usage: z
      .strictObject({ input: tokens, output: tokens, cacheRead: tokens.default(0), cacheWrite: tokens.default(0) })
      .optional()
      .describe('What the provider would report.'),
    delayMs: z.int().min(0).max(600_000).optional().describe('How long it takes until the first word.'),
  })
  .refine(({ thinking, text, toolCalls, failure }) => thinking || text || toolCalls?.length || failure, {
    error: 'must have a text, toolCalls or a failure',
  });

const prompt = z.strictObject({
  say: z.string().min(1).describe('What a person says.'),
  answers: z.array(answer).min(1).describe('What the model answers, one request after the other.'),
});

/** What `longhaul run` takes. */
export const scriptSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Where this schema is, for editors.'),
    description: z.string().optional().describe('What the script shows, for people.'),
    window: z.int().min(1_000).max(100_000_000).default(200_000).describe('The window of the model in tokens.'),
    dialect: z.enum(dialects).default('anthropic').describe('Whose rules the conversation has to keep.'),
    prompts: z.array(prompt).min(1).describe('What is said, one after the other, in one session.'),
  })
  .meta({ title: 'A script for longhaul run' });

export type AgentScript = z.output<typeof scriptSchema>;

/** The schema for editors and other programs. */
export function scriptJsonSchema(): object {
  return z.toJSONSchema(scriptSchema, { io: 'input' });
}
