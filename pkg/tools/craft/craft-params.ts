import { z } from 'zod';
import { WRITING_LANGUAGES, type WritingLanguage } from '../../domain/craft/words/language-words.ts';
import { writingLanguage } from '../../domain/craft/words/words-of.ts';
import { invalidInput } from '../errors.ts';
import { naturalKeyParam } from '../key-params.ts';

/** Parameters that all tools of this domain share. */
export const craftParams = {
  personaId: z.string().min(1).optional(),
  instructions: z.string().max(4_000).optional().describe('Extra wishes for this text only.'),
  language: z
    .string()
    .max(35)
    .optional()
    .describe("BCP 47: en, de, fr or es, others can't be checked. Default: the lead's, else the playbook's, else en."),
  variants: z
    .int()
    .min(1)
    .max(3)
    .default(1)
    .describe('Texts to write, each billed; those that read alike are left out.'),
  maxCredits: z.int().min(0).optional().describe('Refuse when the estimate is above this.'),
  idempotencyKey: naturalKeyParam,
};

export type CraftParams = z.output<z.ZodObject<typeof craftParams>>;

/** Catalog record CraftedText. */
export const craftedText = z.object({
  subject: z.string().nullable(),
  body: z.string(),
  length: z.number(),
  facts: z
    .array(
      z.object({
        text: z.string(),
        source: z.string(),
        at: z.string().nullable(),
        hash: z.string().describe('SHA-256 of source and text.'),
        segments: z.array(z.string()).describe('Sentences that state it.'),
      }),
    )
    .describe('All that the text states of others.'),
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
