import type { Tx } from '../../postgres/database.ts';

/** A record that a session listens to. */
interface Subscription {
  sessionHash: Buffer;
  uri: string;
}

/**
 * Lets a session listen to a record from its version `seen` on, or from another one where it listens already. Sessions
 * live a day: subscriptions of two days ago are forgotten with it.
 * @param most subscriptions of a session
 * @returns false when it has as many
 */
export async function keepSubscription(
  tx: Tx,
  { sessionHash, uri, seen }: Subscription & { seen: string },
  most: number,
): Promise<boolean> {
  await tx.exec(`delete from resource_subscription where created_at < clock_timestamp() - interval '2 days'`);
  const made = await tx.exec(
    `insert into resource_subscription (session_hash, uri, seen, stream)
     select
       $1,
       $2,
       $3,
       (select stream from resource_subscription where session_hash = $1 and stream is not null limit 1)
     where (select count(*) from resource_subscription where session_hash = $1) < $4
     on conflict (session_hash, uri) do update set seen = excluded.seen`,
    [sessionHash, uri, seen, most],
  );
  return made > 0;
}

export async function endSubscription(tx: Tx, { sessionHash, uri }: Subscription): Promise<void> {
  await tx.exec('delete from resource_subscription where session_hash = $1 and uri = $2', [sessionHash, uri]);
}

/** From here on this stream of a session tells of changes. */
export async function tellOnStream(tx: Tx, sessionHash: Buffer, streamId: string): Promise<void> {
  await tx.exec('update resource_subscription set stream = $2 where session_hash = $1', [sessionHash, streamId]);
}

/** This stream of a session tells no more; one that began meanwhile goes on. */
export async function leaveStream(tx: Tx, sessionHash: Buffer, streamId: string): Promise<void> {
  await tx.exec('update resource_subscription set stream = null where session_hash = $1 and stream = $2', [
    sessionHash,
    streamId,
  ]);
}

/**
 * Notes that a stream tells of a change.
 * @param change `seen`: the version that was told last; `late`: another stream had its time
 * @returns false when another stream told of it, or is to
 */
export async function claimChange(
  tx: Tx,
  change: Subscription & { seen: string; version: string; streamId: string; late: boolean },
): Promise<boolean> {
  const claimed = await tx.exec(
    `update resource_subscription
     set seen = $3
     where session_hash = $1 and uri = $2 and seen = $4 and (stream is null or stream = $5 or $6)`,
    [change.sessionHash, change.uri, change.version, change.seen, change.streamId, change.late],
  );
  return claimed === 1;
}
