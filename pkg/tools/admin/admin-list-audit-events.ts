import { z } from 'zod';
import { type AuditEventRow, linksHold, listAuditEvents } from '../../store/audit/list-audit-events.ts';
import { pageOf, pageParams } from '../paging.ts';
import { dateTime, iso } from '../times.ts';
import { tool } from '../tool.ts';
import { requireAdminWorkspace } from './require-workspace.ts';

/** Catalog record AuditEvent. */
const auditEvent = z.object({
  auditEventId: z.string(),
  at: z.string(),
  actor: z.object({ kind: z.string(), id: z.string(), keyPrefix: z.string() }),
  toolName: z.string(),
  workspaceId: z.string().nullable(),
  recordType: z.string(),
  recordId: z.string(),
  change: z.record(z.string(), z.unknown()),
  requestId: z.string(),
  hash: z.string(),
  previousHash: z.string(),
});

export const adminListAuditEvents = tool({
  name: 'svc_admin_list_audit_events',
  domain: 'Admin (platform admins only)',
  title: 'Admin: list audit events',
  description:
    'Lists who did what with which key to which record, tamper-evident (hash chain). Next: svc_admin_list_users.',
  example: {
    input: { workspaceId: '$newWorkspaceId', toolName: 'svc_admin_create_workspace', limit: 10 },
    caller: 'admin',
  },
  scope: 'admin:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({
    workspaceId: z.string().min(1).optional(),
    actorId: z.string().min(1).optional(),
    toolName: z.string().max(100).optional(),
    recordId: z.string().min(1).optional(),
    fromDate: dateTime.optional(),
    toDate: dateTime.optional(),
    ...pageParams,
  }),
  output: z.object({
    auditEvents: z.array(auditEvent),
    chainValid: z.boolean(),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const { workspaceId, actorId, toolName, recordId, fromDate, toDate } = input;
    const filters = { workspaceId, actorId, toolName, recordId, fromDate, toDate };
    return ctx.platformTx(async (tx) => {
      // The log of a deleted workspace can be read: it outlives the workspace.
      if (workspaceId !== undefined) await requireAdminWorkspace(tx, workspaceId, 'deleted too');
      const page = await pageOf(
        ctx,
        'svc_admin_list_audit_events',
        input,
        filters,
        (position, limit) =>
          listAuditEvents(tx, {
            ...{ workspaceId, actorId, toolName, recordId },
            from: fromDate === undefined ? undefined : Date.parse(fromDate),
            to: toDate === undefined ? undefined : Date.parse(toDate),
            before: position?.[0] === undefined ? undefined : Number(position[0]),
            limit,
          }),
        (row) => [row.seq],
      );
      return {
        auditEvents: page.rows.map(auditEventOf),
        chainValid: await linksHold(tx, page.rows),
        nextCursor: page.nextCursor,
      };
    });
  },
});

function auditEventOf(row: AuditEventRow): z.input<typeof auditEvent> {
  const { outcome, recordIds, inputHash, calls, reason } = row;
  return {
    auditEventId: row.id,
    at: iso(row.at),
    actor: { kind: row.actorKind, id: row.actorId, keyPrefix: row.keyPrefix },
    toolName: row.tool,
    workspaceId: row.workspaceId,
    recordType: recordTypeOf(row.tool),
    recordId: recordIds[0] ?? '',
    change: { outcome, recordIds, inputHash, calls, ...(reason ? { reason } : {}) },
    requestId: row.requestId,
    hash: row.hash,
    previousHash: row.previousHash,
  };
}

/** What a tool works on, by its name, which lists dead letters or updates a campaign; the log keeps the ids alone. */
function recordTypeOf(tool: string): string {
  const words = tool.split('_').slice(1);
  const noun = words.slice(words[0] === 'admin' ? 2 : 1).join('_');
  const singular = noun.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
  return singular.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
