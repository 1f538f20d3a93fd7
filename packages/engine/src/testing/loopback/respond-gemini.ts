import { canonical, type JsonRecord } from '../judge/json.ts';
import { pieces, type ResponseContext } from './reply.ts';
import { showsThoughts } from './requested-thinking.ts';
import { event } from './sse.ts';

const stops: Record<string, string> = { end: 'STOP', tools: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY' };

/** A GenerateContentResponse. */
export function geminiResponse(speech: ResponseContext): JsonRecord {
  const { thoughts, text, calls } = partsOf(speech);
  const signed = text.length > 0 ? { ...text[0], ...textSignature(speech) } : undefined;
  const parts = [...thoughts, ...(signed ? [signed] : []), ...calls];
  return { candidates: [candidate({ speech, parts, final: true })], ...tail(speech) };
}

/** The same response as chunks: a model turn that a client sends back as several contents of role `model`. */
export function geminiEvents(speech: ResponseContext): string[] {
  const { thoughts, text, calls } = partsOf(speech);
  const split = (list: JsonRecord[]): JsonRecord[] =>
    list.flatMap((part) => pieces({ text: String(part.text), size: 16 }).map((piece) => ({ ...part, text: piece })));
  const chunks = [...split(thoughts), ...split(text)].map((part) => [part]);
  if (calls.length > 0) chunks.push(calls);
  // A turn of text closes with a part that is nothing but its signature.
  else if (speech.reply.thinking !== '' && text.length > 0) chunks.push([{ text: '', ...textSignature(speech) }]);
  if (chunks.length === 0) chunks.push([]);
  const end = tail(speech);
  return chunks.map((parts, at) =>
    event({ data: { candidates: [candidate({ speech, parts, final: at === chunks.length - 1 })], ...end } }),
  );
}

function partsOf({ reply, body, sealer }: ResponseContext): {
  thoughts: JsonRecord[];
  text: JsonRecord[];
  calls: JsonRecord[];
} {
  const calls = reply.calls.map(({ id, name, input }, at) => ({
    functionCall: { id, name, args: input },
    // "Only the first functionCall part of a step carries the signature" (thought signature guide).
    ...(at === 0 ? { thoughtSignature: sealer.sign({ text: canonical({ name, args: input }) }) } : {}),
  }));
  return {
    thoughts: reply.thinking === '' || !showsThoughts(body) ? [] : [{ text: reply.thinking, thought: true }],
    text: reply.text === '' || reply.stop === 'refused' ? [] : [{ text: reply.text }],
    calls,
  };
}

function textSignature({ reply, sealer }: ResponseContext): JsonRecord {
  return reply.thinking === '' ? {} : { thoughtSignature: sealer.sign({ text: '' }) };
}

function candidate({
  speech,
  parts,
  final,
}: {
  speech: ResponseContext;
  parts: JsonRecord[];
  final: boolean;
}): JsonRecord {
  const { stop } = speech.reply;
  const blocked = { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true };
  return {
    ...(parts.length === 0 ? {} : { content: { role: 'model', parts } }),
    ...(final ? { finishReason: stops[stop] ?? stop } : {}),
    index: 0,
    ...(final && stop === 'refused' ? { safetyRatings: [blocked] } : {}),
  };
}

function tail({ reply: { usage }, model, sealer }: ResponseContext): JsonRecord {
  const said = Math.max(0, usage.output - usage.reasoning);
  return {
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: said,
      totalTokenCount: usage.input + said + usage.reasoning,
      ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
      ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
    },
    modelVersion: model,
    responseId: sealer.id('resp'),
  };
}
