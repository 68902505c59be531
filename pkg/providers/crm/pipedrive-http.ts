import { z } from 'zod';
import { askCrm } from './crm-http.ts';
import type { CrmAccess, CrmOptions } from './crm-provider.ts';

/** A page of Pipedrive's v2: the cursor of the next one stands beside the data. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    success: z.literal(true),
    data: z.array(item),
    additional_data: z.object({ next_cursor: z.string().nullish() }).nullish(),
  });

/** One object. */
export const oneOf = <T extends z.ZodType>(item: T) => z.object({ success: z.literal(true), data: item });

/** The answer of a search. */
export const hitsOf = <T extends z.ZodType>(item: T) => oneOf(z.object({ items: z.array(z.object({ item })) }));

/**
 * Asks Pipedrive. `path`: from `api/v2` or `v1` on. A token that a person copied goes in `x-api-token`, one of OAuth as a bearer.
 * @throws CallError
 */
export function askPipedrive<T extends z.ZodType>(
  access: CrmAccess,
  request: { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: object; harmless?: boolean },
  options: CrmOptions,
  shape: T,
): Promise<z.output<T>> {
  const { token, oauth = false } = access;
  const headers: Record<string, string> = oauth ? { authorization: `Bearer ${token}` } : { 'x-api-token': token };
  return askCrm(access, { ...request, harmless: request.harmless ?? true, headers }, options, shape);
}
