import type { Tx } from '../../postgres/database.ts';

/** A workspace that a process of the pool serves. */
export interface Seat {
  workspaceId: string;
  /** When its work is due, epoch ms product time, 0: at once; null: none is known. */
  wakeAt: number | null;
}

/** Whom a member of the pool serves. @param member name of its Pod */
export function seatsOf(tx: Tx, member: string): Promise<Seat[]> {
  return tx.rows<Seat>(
    `select s.workspace_id as "workspaceId", k.due_at as "wakeAt"
     from pool_seat s
     left join workspace_wake k on k.workspace_id = s.workspace_id
     where s.member = $1
     order by s.workspace_id`,
    [member],
  );
}

/** Whether the workspace is seated to this member; it stays so until the transaction ends. */
export async function holdSeat(tx: Tx, workspaceId: string, member: string): Promise<boolean> {
  const row = await tx.row(`select 1 from pool_seat where workspace_id = $1 and member = $2 for share`, [
    workspaceId,
    member,
  ]);
  return row !== undefined;
}

/** All seats: the member by workspace. */
export async function allSeats(tx: Tx): Promise<Map<string, string>> {
  const rows = await tx.rows<{ workspace_id: string; member: string }>('select workspace_id, member from pool_seat');
  return new Map(rows.map((row) => [row.workspace_id, row.member]));
}

/**
 * Seats workspaces, or moves them; who holds the claim lets it go once it hears that it serves them no more. One that was
 * deleted since it was planned gets none.
 */
export async function seat(tx: Tx, moves: ReadonlyMap<string, string>): Promise<void> {
  if (moves.size === 0) return;
  await tx.exec(
    `insert into pool_seat (workspace_id, member)
     select m.workspace_id, m.member
     from unnest($1::text[], $2::text[]) as m (workspace_id, member)
     join workspace w on w.id = m.workspace_id and w.deleted_at is null
     order by m.workspace_id
     on conflict (workspace_id) do update set member = excluded.member, seated_at = clock_timestamp()
     where pool_seat.member <> excluded.member`,
    [[...moves.keys()], [...moves.values()]],
  );
}

/** Notes that the Pod of this member asked whom it serves. */
export async function seeMember(tx: Tx, member: string, podUid: string): Promise<void> {
  await tx.exec(
    `insert into pool_member (member, pod_uid) values ($1, $2)
     on conflict (member) do update set pod_uid = excluded.pod_uid, seen_at = clock_timestamp()`,
    [member, podUid],
  );
}

/** What the database knows of a member's Pod. */
export interface MemberSeen {
  member: string;
  /** Real ms since it asked whom it serves; null: this Pod never did. */
  seenMs: number | null;
  /** It holds a claim. */
  holds: boolean;
}

/** @param uids uid of the Pod by member */
export function membersSeen(tx: Tx, uids: ReadonlyMap<string, string>): Promise<MemberSeen[]> {
  return tx.rows<MemberSeen>(
    `select u.member,
       (extract(epoch from clock_timestamp() - m.seen_at) * 1000)::float8 as "seenMs",
       exists (
         select 1
         from pool_seat s
         join claim c on c.kind = 'workspace' and c.key = s.workspace_id
         where s.member = u.member and c.holder = u.uid and c.expires_at > clock_timestamp()
       ) as holds
     from unnest($1::text[], $2::text[]) as u (member, uid)
     left join pool_member m on m.member = u.member and m.pod_uid = u.uid`,
    [[...uids.keys()], [...uids.values()]],
  );
}

/** Of these Pods (uid by name) the names of those at which somebody is seated, or that hold a claim. */
export async function servingPods(tx: Tx, uids: ReadonlyMap<string, string>): Promise<string[]> {
  const rows = await tx.rows<{ name: string }>(
    `select u.name
     from unnest($1::text[], $2::text[]) as u (name, uid)
     where exists (select 1 from pool_seat s where s.member = u.name)
       or exists (select 1 from claim c where c.holder = u.uid and c.expires_at > clock_timestamp())`,
    [[...uids.keys()], [...uids.values()]],
  );
  return rows.map((row) => row.name);
}

/** Takes the seat of a workspace away. @returns whether it had one */
export async function unseat(tx: Tx, workspaceId: string): Promise<boolean> {
  return (await tx.exec('delete from pool_seat where workspace_id = $1', [workspaceId])) > 0;
}
