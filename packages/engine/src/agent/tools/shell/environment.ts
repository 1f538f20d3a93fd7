/** Names under which keys of models are kept. Other keys are the user's tools' and stay. */
const modelKeys =
  /^(?:ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|GEMINI|GOOGLE_(?:API|AI|GENERATIVE_AI|GENAI|VERTEX)|VERTEX|OPENROUTER|MISTRAL|GROQ|XAI|GROK|DEEPSEEK|COHERE|TOGETHER|FIREWORKS|CEREBRAS|PERPLEXITY|NVIDIA|HF|HUGGINGFACE|HUGGING_FACE|REPLICATE|VOYAGE|MOONSHOT|KIMI|ZAI|ZHIPU|DASHSCOPE|QWEN|MINIMAX|AI_GATEWAY|AWS_BEARER|LITELLM|LONGHAUL)\w*(?:KEY|TOKEN|SECRET|BEDROCK)\w*$/i;

/** Keys of models under any other name. */
const modelKeyValue = /^(?:sk-(?:ant|proj|or|svcacct|admin|None)-|AIza|xai-|gsk_|csk-|nvapi-|pplx-|r8_)[\w-]{16,}$/;

/** Shorter values stand in others by chance. */
const shortestSecret = 6;

/** What a program needs to know so that it neither asks nor pages nor paints. */
const quiet = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', NO_COLOR: '1' };

/**
 * The environment that commands get: without the keys of models, since a command needs none and whatever it runs could
 * send them away. `allow` names those that are needed all the same.
 *
 * @example
 * commandEnvironment({ env: { PATH: '/bin', OPENAI_API_KEY: 'sk-x' } }); // { PATH: '/bin', … }
 */
export function commandEnvironment({
  env,
  secrets = [],
  allow = [],
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of configured keys, under whatever name. */
  readonly secrets?: readonly string[];
  readonly allow?: readonly string[];
}): Record<string, string> {
  const values = secrets.filter(({ length }) => length >= shortestSecret);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const isKey = modelKeys.test(name) || modelKeyValue.test(value) || values.some((secret) => value.includes(secret));
    if (!isKey || allow.includes(name)) kept[name] = value;
  }
  return { ...kept, ...quiet };
}
