import pg from 'pg';
import type { TestCluster } from '../../tools/kube.ts';

/** Tables that a refused call may touch: request limits and the audit log. */
const NOT_COUNTED = ['request_count', 'audit_event', 'audit_anchor', 'audit_write'];

/** Tells whether anything that is stored changed, rows and objects, by one cheap statement. */
export interface ChangeCount {
  /** Equal texts: nothing was changed in between, not even for a moment that was committed. */
  soFar(): Promise<string>;
  close(): Promise<void>;
}

/** Counts every changed row of every table by triggers; when a key was last used, or a member seen, is not what a call writes. */
export async function countChanges(cluster: TestCluster): Promise<ChangeCount> {
  const client = new pg.Client({ connectionString: cluster.superuserUrl });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`
    create schema counted;
    create table counted.change (seq bigint generated always as identity primary key, name text not null);
    create function counted.note() returns trigger language plpgsql security definer as
      $$ begin insert into counted.change (name) values (tg_table_name); return null; end $$;`);
  const { rows } = await client.query<{ name: string }>(
    // A trigger of a partitioned table holds for its partitions too.
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'outrider' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  for (const { name } of rows.filter((row) => !NOT_COUNTED.includes(row.name))) {
    await client.query(`
      create trigger counted_rows after insert or delete on outrider.${name} for each row execute function counted.note();
      create trigger counted_values after update on outrider.${name} for each row
        when (to_jsonb(old) - 'last_used_at' - 'last_seen_at' is distinct from to_jsonb(new) - 'last_used_at' - 'last_seen_at') execute function counted.note();`);
  }
  let seen = { writes: -1, text: '' };
  const objects = async (): Promise<string> => {
    // Only a request that may write changes an object, so the lists are read again after one.
    const writes = cluster.api.writes.length;
    if (writes !== seen.writes) {
      const lists = await Promise.all(['workspaces', 'campaigns', 'workflows'].map((plural) => cluster.list(plural)));
      const names = lists.flat().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
      seen = { writes, text: names.sort().join() };
    }
    return seen.text;
  };
  return {
    async soFar() {
      const changed = await client.query<{ name: string; count: string }>(
        'select name, count(*) from counted.change group by 1 order by 1',
      );
      return `${changed.rows.map((row) => `${row.name} ${row.count}`).join()} ${await objects()}`;
    },
    close: () => client.end(),
  };
}
