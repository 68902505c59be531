import { z } from 'zod';
import type { AiWriter } from './ai-writer.ts';
import { modelWriter } from './model-writer.ts';
import { sdkChat } from './sdk-chat.ts';
import { templateWriter } from './template-writer.ts';
import { DEFAULT_URLS, VENDORS } from './vendors.ts';

/** What AI_PROVIDER may name. */
const AI_PROVIDERS = ['template', ...VENDORS] as const;

/** Settings of the writer, in the environment. */
export const writerEnv = {
  AI_PROVIDER: z.enum(AI_PROVIDERS).optional(),
  AI_BASE_URL: z.url().optional(),
  AI_API_KEY: z.string().optional(),
  AI_MODEL: z.string().optional(),
};
export type WriterSettings = z.output<z.ZodObject<typeof writerEnv>>;

/** Real ms for one answer. */
export const ANSWER_TIMEOUT_MS = 45_000;

/** The writer that the settings name; without any, the built-in one. @throws Error naming the setting that lacks */
export function chooseWriter(settings: WriterSettings): AiWriter {
  const { AI_PROVIDER: provider, AI_BASE_URL: url, AI_API_KEY: apiKey, AI_MODEL: model } = settings;
  if (provider === undefined || provider === 'template') return templateWriter;
  if (!model) throw new Error(`AI_PROVIDER=${provider} needs AI_MODEL`);
  const endpoint = { url: url ?? DEFAULT_URLS[provider], apiKey: apiKey ?? '', model, timeoutMs: ANSWER_TIMEOUT_MS };
  return modelWriter(sdkChat(provider, endpoint));
}
