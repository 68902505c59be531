import { z } from 'zod';
import { WRITING_LANGUAGES, type WritingLanguage } from '../../domain/craft/words/language-words.ts';
import { writingLanguage } from '../../domain/craft/words/words-of.ts';
import { invalidInput } from '../errors.ts';

/** Parameters that all tools of this domain share. */
export const craftParams = {
  personaId: z.string().min(1).optional(),
  instructions: z.string().max(4_000).optional(),
  language: z.string().max(35).optional(),
  variants: z.int().min(1).max(3).default(1),
  maxCredits: z.int().min(0).optional(),
  idempotencyKey: z.string().min(1).max(128).optional().describe('Charged once.'),
};

export type CraftParams = z.output<z.ZodObject<typeof craftParams>>;

/** Catalog record CraftedText. */
export const craftedText = z.object({
  subject: z.string().nullable(),
  body: z.string(),
  length: z.number(),
  facts: z.array(
    z.object({
      text: z.string(),
      source: z.string(),
      at: z.string().nullable(),
      hash: z.string(),
      segments: z.array(z.string()),
    }),
  ),
  riskFlags: z.array(z.string()),
  language: z.string(),
});

/** What all tools of this domain answer. */
export const craftedResult = {
  texts: z.array(craftedText),
  playbookSource: z.string(),
  playbookVersion: z.string(),
  creditsSpent: z.number(),
  writer: z.string().describe('template: no language model is set up, sentences were written before.'),
};

/** The language that was asked for; undefined: none was. @throws UserError when texts in it can't be checked */
export function askedLanguage(tag: string | undefined): WritingLanguage | undefined {
  if (tag === undefined) return undefined;
  const language = writingLanguage(tag);
  if (language === null) {
    throw invalidInput(
      'language',
      `texts are checked in ${WRITING_LANGUAGES.join(', ')} only. Leave it out for the default.`,
    );
  }
  return language;
}
