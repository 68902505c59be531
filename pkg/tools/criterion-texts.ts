import { z } from 'zod';

/** Characters of one text to look for. */
const LONGEST = 200;

/** Texts of a criterion, any of which may match, trimmed. A blank one is in every text: it would ask for everybody, so it is refused. */
export const criterionTexts = (most: number) => z.array(text).max(most).optional();

const text = z
  .string()
  .trim()
  .refine((one) => one !== '' && one.length <= LONGEST, `must have 1 to ${LONGEST} characters`);
