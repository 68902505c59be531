/** Vendors whose wire formats are spoken; `openai` is any endpoint with OpenAI's chat completions. */
export const VENDORS = ['openai', 'anthropic', 'gemini', 'mistral'] as const;
export type Vendor = (typeof VENDORS)[number];

export const DEFAULT_URLS: Readonly<Record<Vendor, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
  mistral: 'https://api.mistral.ai/v1',
};
