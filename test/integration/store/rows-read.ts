import type pg from 'pg';

/** Rows that were read so far, of tables and of their indexes, by transactions that have ended. */
export async function rowsRead(superuser: pg.Client): Promise<number> {
  await superuser.query('select pg_stat_force_next_flush()');
  const { rows } = await superuser.query<{ reads: string }>(
    `select (select coalesce(sum(seq_tup_read), 0) from pg_stat_user_tables where schemaname = 'outrider')
       + (select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where schemaname = 'outrider') as reads`,
  );
  return Number(rows[0]?.reads);
}
