import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import { retold } from '../../domain/notifications/notice-words.ts';
import { type CompactForm, detailParam, shaper } from '../compact.ts';
import { invalidInput } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { ownUser, readableKinds } from './own.ts';

/** Catalog record Notification. */
const notificationRecord = z.object({
  notificationId: z.string(),
  kind: z.string(),
  title: z.string(),
  text: z.string(),
  data: z.record(z.string(), z.json()),
  nextTool: z.string().nullable(),
  read: z.boolean(),
  createdAt: z.string(),
});

/** What happened and what goes on from it; what it is about stands in `data` of the full one. */
const NOTIFICATION_FORM: CompactForm = {
  id: 'notificationId',
  known: Object.keys(notificationRecord.shape),
  kept: ['kind', 'title', 'text', 'nextTool', 'read', 'createdAt'],
};

interface Row {
  id: string;
  kind: EventKind;
  title: string;
  text: string;
  data: z.output<typeof notificationRecord>['data'];
  next_tool: string | null;
  read_at: number | null;
  created_at: number;
}

export const listNotifications = tool({
  name: 'svc_list_notifications',
  domain: 'Notifications',
  title: 'List notifications',
  description: 'Lists notifications, newest first. Next: svc_mark_notification_read.',
  example: { input: { unreadOnly: true } },
  scope: 'notifications:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    unreadOnly: z.boolean().default(false),
    kinds: z.array(z.string()).max(50).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({
    notifications: z.array(notificationRecord.partial().required({ notificationId: true })),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const { unreadOnly, kinds } = input;
    const filters = { workspaceId: ctx.workspaceId, unreadOnly, kinds };
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_notifications',
        input,
        filters,
        (position, fetch) => {
          const [at = null, id = null] = position ?? [];
          if (id !== null && !isUuid(String(id))) throw invalidInput('cursor', 'is not one of this list');
          return tx.rows<Row>(
            `select id, kind, title, text, data, next_tool, read_at, created_at from notification
             where workspace_id = $1 and ($2::uuid is null or user_id = $2) and (not $3 or read_at is null) and in_app
               and ($4::text[] is null or kind = any ($4)) and kind = any ($8)
               and ($5::bigint is null or (created_at, id) < ($5, $6::uuid))
             order by created_at desc, id desc limit $7`,
            [ctx.workspaceId, ownUser(ctx), unreadOnly, kinds ?? null, at, id, fetch, readableKinds(ctx)],
          );
        },
        (row) => [row.created_at, row.id],
      ),
    );
    const now = ctx.clocks.product.now();
    const shape = shaper(NOTIFICATION_FORM, input);
    const notifications = page.rows.map((row) => ({ ...shape(notificationOf(row, now)), notificationId: row.id }));
    return { notifications, nextCursor: page.nextCursor };
  },
});

function notificationOf(row: Row, now: number): z.input<typeof notificationRecord> {
  const { id, kind, data, next_tool, read_at, created_at } = row;
  return {
    notificationId: id,
    kind,
    ...retold(row, now),
    data,
    nextTool: next_tool,
    read: read_at !== null,
    createdAt: iso(created_at),
  };
}
