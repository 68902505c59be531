import type { Database } from '../../postgres/database.ts';
import { recordOf } from '../resources/records.ts';
import type { RecordResource } from '../resources/resource.ts';

/** Where a record stands, and whose it is. */
export interface RecordState {
  workspaceId: string;
  /** Another one after every change of its row. */
  version: string;
}

/** A record that has no row any more. */
export const GONE = 'gone';

/**
 * The states of the records behind addresses, in one query whatever their number. Sees all tenants: the one who tells a
 * caller of a change checks first that the workspace is one of theirs.
 */
export async function readStates(db: Database, uris: Iterable<string>): Promise<Map<string, RecordState>> {
  // An address may be spelt in several ways (RFC 3986, percent-encoding).
  const byTable: Record<RecordResource['table'], Map<string, string[]>> = {
    campaign: new Map(),
    workflow: new Map(),
    notification: new Map(),
  };
  for (const uri of uris) {
    const record = recordOf(uri);
    if (!record) continue;
    const named = byTable[record.resource.table];
    const spellings = named.get(record.id) ?? [];
    spellings.push(uri);
    named.set(record.id, spellings);
  }
  const rows = await db.tx({ kind: 'platform' }, (tx) =>
    tx.named<{ of: RecordResource['table']; id: string; workspace_id: string; version: string }>(
      'record_states',
      `select 'campaign' as of, id, workspace_id, xmin::text as version from campaign where id = any($1)
       union all select 'workflow', id, workspace_id, xmin::text from workflow where id = any($2)
       union all select 'notification', w.id, w.id, coalesce(
         (select n.created_at || '/' || n.id || '/' || n.events from notification n where n.workspace_id = w.id
          order by n.created_at desc, n.id desc limit 1), '')
       from workspace w where w.id = any($3)`,
      [[...byTable.campaign.keys()], [...byTable.workflow.keys()], [...byTable.notification.keys()]],
    ),
  );
  const states = new Map<string, RecordState>();
  for (const { of, id, workspace_id, version } of rows) {
    for (const uri of byTable[of].get(id) ?? []) states.set(uri, { workspaceId: workspace_id, version });
  }
  return states;
}
