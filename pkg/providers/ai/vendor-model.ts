import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ChatEndpoint } from './chat-model.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { Vendor } from './vendors.ts';

/** Tokens that a model may think before it writes: they count within its limit, and one that runs out of them says nothing. */
const THOUGHTS = 16_000;

/** How one request differs from the next of the same model. */
export interface RequestForm {
  /** The endpoint takes a JSON schema for its answers. */
  schema: boolean;
  /** The model knows `max_completion_tokens` alone. */
  thinks: boolean;
}

/** A model of a vendor, as the `ai` library speaks to it. */
export function vendorModel(vendor: Vendor, endpoint: ChatEndpoint, form: RequestForm): LanguageModel {
  const { apiKey, model, timeoutMs, reach = 'any' } = endpoint;
  const baseURL = endpoint.url.replace(/\/+$/, '');
  const fetch = guardedFetch(timeoutMs, reach);
  switch (vendor) {
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey, fetch })(model);
    case 'gemini':
      return createGoogle({ baseURL, apiKey, fetch })(model);
    case 'mistral':
      return createMistral({ baseURL, apiKey, fetch })(model);
    case 'openai':
      return createOpenAICompatible({
        name: 'openai',
        baseURL,
        apiKey,
        fetch,
        supportsStructuredOutputs: form.schema,
        transformRequestBody: (body) => (form.thinks ? thinking(body) : body),
      })(model);
  }
}

function thinking({ max_tokens, temperature: _fixed, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: (typeof max_tokens === 'number' ? max_tokens : 0) + THOUGHTS };
}
