import type { Tx } from '../../postgres/database.ts';

/** An event stream of a session. */
interface Stream {
  sessionHash: Buffer;
  stream: string;
}

/** One writer of a stream at a time, until the transaction ends. */
export async function lockStream(tx: Tx, { sessionHash, stream }: Stream): Promise<void> {
  await tx.exec('select pg_advisory_xact_lock(hashtextextended($1, 70))', [
    `${sessionHash.toString('base64')}${stream}`,
  ]);
}

/**
 * Adds the next event of a stream that the caller has locked, and forgets what is too old or too much. The newest event of
 * a standing stream stays while its session may live: numbers that began anew would be taken for old ones.
 * @param most events that a stream keeps @param standing name of the streams that stand as long as their session: their
 * events stay for two days, those of others a quarter of an hour
 * @returns its number, from 1
 */
export async function appendEvent(
  tx: Tx,
  { sessionHash, stream }: Stream,
  event: { sealed: Buffer; last: boolean },
  { most, standing }: { most: number; standing: string },
): Promise<number | undefined> {
  const row = await tx.row<{ seq: number }>(
    `insert into stream_event (session_hash, stream, seq, sealed, last)
     select $1, $2, coalesce(max(seq), 0) + 1, $3, $4
     from stream_event
     where session_hash = $1 and stream = $2
     returning seq`,
    [sessionHash, stream, event.sealed, event.last],
  );
  const newest = row?.seq ?? 0;
  await tx.exec(
    `delete from stream_event
     where session_hash = $1
       and stream = $2
       and (seq <= $3 or seq < $4 and at < clock_timestamp() - interval '15 minutes')`,
    [sessionHash, stream, newest - most, newest],
  );
  await tx.exec(`delete from stream_event where stream <> $1 and at < clock_timestamp() - interval '15 minutes'`, [
    standing,
  ]);
  await tx.exec(`delete from stream_event where stream = $1 and at < clock_timestamp() - interval '2 days'`, [
    standing,
  ]);
  return row?.seq;
}
