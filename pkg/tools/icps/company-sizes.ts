import { z } from 'zod';
import { sizeRange } from '../../domain/company-size.ts';

/** Sizes of companies as an ICP asks for them; one that is no range would match nobody. */
export const companySizes = z
  .array(z.string().refine((size) => sizeRange(size) !== null, 'must be a number of heads such as "11-50" or "10001+"'))
  .max(20)
  .optional();
