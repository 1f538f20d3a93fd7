import type { Dialect } from '../judge/index.ts';
import type { Action } from './types.ts';

/** Where a request goes, or why it goes nowhere. */
export interface Route {
  dialect: Dialect;
  action: Action | 'unknown' | 'wrong-method';
  /** Model and streaming as far as the path says them (Gemini). */
  model?: string;
  stream?: boolean;
}

const posts: Record<string, { dialect: Dialect; action: Action }> = {
  '/v1/messages': { dialect: 'anthropic', action: 'generate' },
  '/v1/messages/count_tokens': { dialect: 'anthropic', action: 'count' },
  '/v1/chat/completions': { dialect: 'openai-chat', action: 'generate' },
  '/v1/responses': { dialect: 'openai-responses', action: 'generate' },
  '/v1/responses/compact': { dialect: 'openai-responses', action: 'compact' },
};

/** Finds the protocol that a path belongs to; unknown paths are answered in the likeliest dialect. */
export function routeOf({
  method,
  pathname,
  anthropic,
}: {
  method: string;
  pathname: string;
  /** The request names an `anthropic-version`. */
  anthropic: boolean;
}): Route {
  const post = posts[pathname];
  if (post) return method === 'POST' ? post : { ...post, action: 'wrong-method' };
  const dialect = pathname.startsWith('/v1beta/') ? 'gemini' : anthropic ? 'anthropic' : 'openai-chat';
  const call = /^\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/.exec(pathname);
  if (call) return geminiRoute({ method, model: call[1] ?? '', verb: call[2] ?? '' });
  if (pathname === '/v1/models' || pathname === '/v1beta/models')
    return { dialect, action: method === 'GET' ? 'models' : 'wrong-method' };
  return { dialect, action: 'unknown' };
}

function geminiRoute({ method, model, verb }: { method: string; model: string; verb: string }): Route {
  const dialect = 'gemini';
  const action = verb === 'countTokens' ? 'count' : 'generate';
  if (!['generateContent', 'streamGenerateContent', 'countTokens'].includes(verb))
    return { dialect, action: 'unknown' };
  if (method !== 'POST') return { dialect, action: 'wrong-method' };
  return { dialect, action, model: decodeURIComponent(model), stream: verb === 'streamGenerateContent' };
}
