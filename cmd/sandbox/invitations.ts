import type { World } from './world.ts';

export interface InvitationRow {
  row: number;
  id: string;
  account_id: string;
  public_id: string;
  text: string | null;
  sent_at: number;
  state: 'pending' | 'accepted' | 'withdrawn';
  /** Lists show it from here on (real ms), and until `gone_real` when it was withdrawn. */
  visible_real: number;
  gone_real: number;
}

const HAND = 'hand-';
const DAYS_MS = 86_400_000;

/** Pending as the published lists and profiles show it, lag included. */
export const SHOWN = `visible_real <= ? and (state = 'pending' or (state = 'withdrawn' and gone_real > ?))`;

/** Adds an invitation; two equal requests are two. */
export function addInvitation(
  world: World,
  invitation: { accountId: string; publicId: string; text: string | null; visibleReal: number },
): string {
  const { accountId, publicId } = invitation;
  const id = world.ids.uuid();
  const now = world.clock.now();
  insert(world, id, accountId, publicId, invitation.text, now, invitation.visibleReal);
  const behaviour = world.behaviour(publicId);
  if (behaviour.accepts) world.plan(now + behaviour.acceptAfterMs, 'accept', accountId, publicId, { invitationId: id });
  return id;
}

/** The invitation that the account's owner sent by hand, for people whose behaviour says so. */
export function handInvitation(world: World, accountId: string, publicId: string): InvitationRow | undefined {
  const find = (): InvitationRow | undefined =>
    world.store.one<InvitationRow>(
      `select * from invitation where account_id = ? and public_id = ? and id like '${HAND}%'`,
      accountId,
      publicId,
    );
  if (!world.behaviour(publicId).invited) return undefined;
  if (!find()) insert(world, HAND + world.ids.uuid(), accountId, publicId, null, world.clock.now() - 5 * DAYS_MS, 0);
  const row = find();
  return row?.state === 'pending' ? row : undefined;
}

/** A pending invitation to this person, as a profile shows it. */
export function shownInvitation(world: World, accountId: string, publicId: string): InvitationRow | undefined {
  handInvitation(world, accountId, publicId);
  const real = world.real.now();
  return world.store.one<InvitationRow>(
    `select * from invitation where account_id = ? and public_id = ? and ${SHOWN} limit 1`,
    accountId,
    publicId,
    real,
    real,
  );
}

function insert(
  world: World,
  id: string,
  accountId: string,
  publicId: string,
  text: string | null,
  at: number,
  visible: number,
): void {
  world.store.run(
    'insert into invitation (id, account_id, public_id, text, sent_at, visible_real) values (?, ?, ?, ?, ?, ?)',
    id,
    accountId,
    publicId,
    text,
    at,
    visible,
  );
}
