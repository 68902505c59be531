import type { z } from 'zod';

/** One question to a language model. */
export interface ChatQuestion {
  system: string;
  user: string;
  /** Tokens of the answer at most, without what the model thinks before. */
  maxTokens: number;
  /** What the answer has to look like, where the endpoint can be held to it; absent: plain text. */
  shape?: z.ZodType;
}

export interface ChatAnswer {
  text: string;
  /** It ends where the tokens did. */
  cut: boolean;
  /** The model, or a filter of its vendor, declined. */
  refused?: boolean;
}

/** Port of a language model that answers a question with a text. */
export interface ChatModel {
  /** Name of the model, stored with its texts. */
  readonly name: string;
  /** @throws CallError */
  answer(question: ChatQuestion, signal: AbortSignal): Promise<ChatAnswer>;
}

/** Where a model is reached. */
export interface ChatEndpoint {
  /** Address up to the version, for example `https://api.openai.com/v1`. */
  url: string;
  apiKey: string;
  model: string;
  /** Real ms for one answer. */
  timeoutMs: number;
  /** Where its address may lead; absent: anywhere, as the operators' own. */
  reach?: 'public' | 'any';
}
