/**
 * pi as a library, with the extension: its session stays inside the model's window, however long it works.
 *
 *     OPENAI_API_KEY=… node --conditions=longhaul-source examples/pi/agent.ts "What is this project?"
 */
import {
  AuthStorage,
  createAgentSession,
  DefaultResourceLoader,
  ModelRegistry,
  SessionManager,
  SettingsManager,
  type ToolDefinition,
} from '@mariozechner/pi-coding-agent';
import { createLonghaul } from 'longhaul';
import { longhaulExtension } from 'longhaul/adapters/pi';

/** A session of pi with the extension; pi keeps its whole history in its own file. */
export async function createAgent({
  sessions,
  cwd = process.cwd(),
  baseUrl = 'https://api.openai.com/v1',
  apiKey = process.env.OPENAI_API_KEY ?? '',
  window = 128_000,
  tools = [],
}: {
  readonly sessions: Parameters<typeof longhaulExtension>[0];
  readonly cwd?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly window?: number;
  readonly tools?: ToolDefinition[];
}) {
  const authStorage = AuthStorage.inMemory();
  authStorage.setRuntimeApiKey('openai', apiKey);
  const settingsManager = SettingsManager.inMemory({ retry: { enabled: false } });
  const extensionFactories = [longhaulExtension(sessions)];
  const agentDir = `${cwd}/.pi-agent`;
  const resourceLoader = new DefaultResourceLoader({ cwd, agentDir, settingsManager, extensionFactories });
  await resourceLoader.reload();
  const { session } = await createAgentSession({
    cwd,
    agentDir,
    authStorage,
    modelRegistry: ModelRegistry.inMemory(authStorage),
    settingsManager,
    resourceLoader,
    sessionManager: SessionManager.create(cwd, `${cwd}/.pi-sessions`),
    thinkingLevel: 'off',
    customTools: tools,
    ...(tools.length > 0 && { noTools: 'builtin' as const }),
    model: {
      id: 'gpt-4.1',
      name: 'GPT-4.1',
      api: 'openai-completions',
      provider: 'openai',
      baseUrl,
      reasoning: false,
      input: ['text'],
      cost: { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 },
      contextWindow: window,
      maxTokens: 4_096,
    },
  });
  return {
    session,
    async ask(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
      signal?.addEventListener('abort', () => session.abort());
      const ended = Promise.withResolvers<void>();
      const unsubscribe = session.subscribe(({ type }) => {
        if (type === 'agent_end') ended.resolve();
      });
      await session.prompt(prompt);
      await ended.promise;
      unsubscribe();
      return session.getLastAssistantText() ?? '';
    },
  };
}

if (import.meta.main) {
  const sessions = await createLonghaul({ dir: '.longhaul' });
  const agent = await createAgent({ sessions });
  console.log(await agent.ask(process.argv.slice(2).join(' ') || 'What is this project?'));
  await sessions.close();
}
