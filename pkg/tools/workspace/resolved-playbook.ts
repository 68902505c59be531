import { z } from 'zod';
import type { ResolvedPlaybook } from '../../domain/playbook.ts';

/** Catalog record ResolvedPlaybook, with the reason of the choice. */
export const resolvedPlaybook = z.object({
  text: z.string().nullable(),
  source: z.enum(['signal_agent', 'workspace', 'workspace_and_campaign', 'campaign_override', 'none']),
  parts: z.array(z.object({ kind: z.string(), id: z.string(), version: z.string() })),
  reason: z.string(),
});

/** The record of a resolved text. */
export function resolvedOf(resolved: ResolvedPlaybook): z.input<typeof resolvedPlaybook> {
  return { ...resolved, parts: resolved.parts.map((part) => ({ ...part })) };
}
