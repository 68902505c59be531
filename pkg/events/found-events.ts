import { z } from 'zod';
import type { EventDefinition } from './event-definition.ts';
import { count, id } from './ids.ts';

const post = z.strictObject({ contentPostId: id });
const POST = { contentPostId: 'post-1' };
const scope = 'content:read';

/** What agents and watches find, and what happens to posts. */
export const FOUND_EVENTS = {
  'signal.detected': {
    says: 'Signals were found.',
    deed: 'an agent stores signals',
    scope: 'signals:read',
    data: z.strictObject({ signalIds: z.array(id).max(1_000) }),
    sample: { signalIds: ['signal-1'] },
  },
  'signal.expired': {
    says: 'Signals counted for the last time.',
    deed: 'the window of a signal ends',
    scope: 'signals:read',
    data: z.strictObject({ signalIds: z.array(id).max(1_000) }),
    sample: { signalIds: ['signal-1'] },
  },
  'watch.found': {
    says: 'A watch found something new.',
    deed: 'a watch finds something',
    scope: 'competitors:read',
    data: z.strictObject({ watchId: id, found: count }),
    sample: { watchId: 'watch-1', found: 3 },
  },
  'watch.paused': {
    says: 'A watch paused itself.',
    deed: 'a watch pauses itself, after faults or at the limit of its month',
    scope: 'competitors:read',
    data: z.strictObject({ watchId: id, reason: z.string() }),
    sample: { watchId: 'watch-1', reason: 'the search gave an error five times' },
  },
  'content.submitted': {
    says: 'A post waits for approval.',
    deed: 'a post is submitted',
    scope,
    data: post,
    sample: POST,
  },
  'content.approved': {
    says: 'A post was approved.',
    deed: 'a post is approved',
    scope,
    data: post,
    sample: POST,
  },
  'content.rejected': {
    says: 'A post was rejected.',
    deed: 'a post is rejected',
    scope,
    data: post,
    sample: POST,
  },
  'content.published': {
    says: 'A post is online.',
    deed: 'a post is seen online',
    scope,
    data: post,
    sample: POST,
  },
  'content.failed': {
    says: 'A post could not be published.',
    deed: 'publishing fails for good',
    scope,
    data: z.strictObject({ contentPostId: id, part: z.enum(['post', 'comment']), code: z.string() }),
    sample: { ...POST, part: 'post', code: 'truncated' },
  },
} as const satisfies Record<string, EventDefinition>;
