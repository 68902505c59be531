import type { AiWriter } from './ai-writer.ts';
import { anthropicChat } from './anthropic-chat.ts';
import { modelWriter } from './model-writer.ts';
import { openAiChat } from './openai-chat.ts';
import { templateWriter } from './template-writer.ts';

/** Settings of the writer, as they stand in the environment. */
export interface WriterSettings {
  AI_PROVIDER?: 'template' | 'openai' | 'anthropic' | undefined;
  AI_BASE_URL?: string | undefined;
  AI_API_KEY?: string | undefined;
  AI_MODEL?: string | undefined;
}

const ANSWER_TIMEOUT_MS = 45_000;
const DEFAULT_URL = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' };

/** The writer that the settings name; without any, the built-in one. @throws Error naming the setting that lacks */
export function chooseWriter(settings: WriterSettings): AiWriter {
  const { AI_PROVIDER: provider, AI_BASE_URL: url, AI_API_KEY: apiKey, AI_MODEL: model } = settings;
  if (provider === undefined || provider === 'template') return templateWriter;
  if (!model) throw new Error(`AI_PROVIDER=${provider} needs AI_MODEL`);
  const endpoint = { url: url ?? DEFAULT_URL[provider], apiKey: apiKey ?? '', model, timeoutMs: ANSWER_TIMEOUT_MS };
  return modelWriter(provider === 'openai' ? openAiChat(endpoint) : anthropicChat(endpoint));
}
