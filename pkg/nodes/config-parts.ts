import { z } from 'zod';
import { isTimezone } from '../domain/local-time.ts';
import { UNSUBSCRIBE_PLACE } from '../domain/mail-footer.ts';
import { parseTemplate, type TemplatePart } from '../domain/template.ts';

/** Pieces of config that several node types share. */

export const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;

/** Config of a node without settings. */
export const noConfig = z.strictObject({});
export type NoConfig = z.infer<typeof noConfig>;

/** A duration in whole milliseconds, at most a year. */
export const durationMs = z.int().min(0).max(YEAR_MS);

/** A record id as callers write it; whether it exists is the business of the one who compiles for a workspace. */
export const recordId = z.string().min(1).max(253);

export const timezone = z.string().refine(isTimezone, 'must be an IANA timezone such as Europe/Berlin');

export interface TemplateText {
  /** As written. */
  source: string;
  parts: readonly TemplatePart[];
}

/** A template, parsed once when the graph is compiled; unknown placeholders are problems of the config. */
export function templateText(maxChars: number) {
  return z
    .string()
    .min(1)
    .max(maxChars)
    .transform((source, context): TemplateText => {
      const { parts, problems } = parseTemplate(source);
      for (const message of problems) context.addIssue({ code: 'custom', message, input: source });
      return { source, parts };
    });
}

/** The same for a mail, which may also say where its unsubscribe address stands. */
export function mailText(maxChars: number) {
  return z
    .string()
    .min(1)
    .max(maxChars)
    .transform((source, context): TemplateText => {
      const pieces = source.split(UNSUBSCRIBE_PLACE).map((piece) => parseTemplate(piece));
      for (const message of pieces.flatMap((piece) => piece.problems)) {
        context.addIssue({ code: 'custom', message, input: source });
      }
      const place: TemplatePart = { kind: 'text', text: UNSUBSCRIBE_PLACE };
      const parts = pieces.flatMap((piece, index) => (index === 0 ? piece.parts : [place, ...piece.parts]));
      return { source, parts };
    });
}

export const TEMPLATE_HINT =
  'template text; {{lead:<field>}} with optional fallback {{lead:<field>|text}}; a missing field without fallback blocks the step (outcome missing_data), it never sends an empty gap';
