import { z } from 'zod';
import type { EventDefinition } from './event-definition.ts';
import { count, id } from './ids.ts';

/** What happens to the workspace itself: money, files, keys, members, links to other systems. */
export const WORKSPACE_EVENTS = {
  'credits.low': {
    says: 'Credits run low.',
    deed: 'less than a tenth of the monthly credits is available, or less than 100 without a monthly grant',
    scope: 'workspace:read',
    data: z.strictObject({ available: z.int(), threshold: count }),
    sample: { available: 90, threshold: 100 },
  },
  'credits.exhausted': {
    says: 'There are no credits left.',
    deed: 'no credits are available any more',
    scope: 'workspace:read',
    data: z.strictObject({ available: z.int(), threshold: count }),
    sample: { available: 0, threshold: 100 },
  },
  'import.completed': {
    says: 'An import ended.',
    deed: 'an import ends',
    scope: 'leads:read',
    data: z.strictObject({
      importId: id,
      status: z.string(),
      created: count,
      updated: count,
      skipped: count,
      suppressed: count,
      excluded: count,
      failed: count,
    }),
    sample: {
      importId: '2c4e1a9b-55d1-4d34-9a7f-0f3c8e6b1d20',
      status: 'completed',
      created: 970,
      updated: 10,
      skipped: 12,
      suppressed: 0,
      excluded: 8,
      failed: 0,
    },
  },
  'automation.failed': {
    says: 'A run of an automation failed.',
    deed: 'a scheduled run fails',
    scope: 'automations:read',
    data: z.strictObject({ automationId: id, jobId: id, reason: z.string() }),
    sample: { automationId: 'auto-1', jobId: 'job-1', reason: 'the provider did not answer' },
  },
  'integration.error': {
    says: 'A connected system refuses us or cannot be reached.',
    deed: 'a check or a call of an integration fails for good',
    scope: 'integrations:read',
    data: z.strictObject({ integrationId: id, reason: z.string() }),
    sample: { integrationId: 'int-1', reason: 'the key is not accepted any more' },
  },
  'key.created': {
    says: 'An API key was made.',
    deed: 'a key is made',
    scope: 'workspace:read',
    data: z.strictObject({ apiKeyId: id }),
    sample: { apiKeyId: 'key-1' },
  },
  'key.revoked': {
    says: 'An API key was revoked.',
    deed: 'a key is revoked',
    scope: 'workspace:read',
    data: z.strictObject({ apiKeyId: id }),
    sample: { apiKeyId: 'key-1' },
  },
  'member.joined': {
    says: 'Somebody became a member.',
    deed: 'an invitation is accepted',
    scope: 'workspace:read',
    data: z.strictObject({ memberId: id, role: z.string() }),
    sample: { memberId: 'member-1', role: 'member' },
  },
} as const satisfies Record<string, EventDefinition>;
