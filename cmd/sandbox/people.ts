import { z } from 'zod';
import { addMessage, type MessageRow, ownMessages } from './chats.ts';
import type { InvitationRow } from './invitations.ts';
import { arrive } from './mail/mail-people.ts';
import { replyText } from './person.ts';
import { messageBody, newRelationBody, webhooksFor } from './webhook-bodies.ts';
import type { EventKind, World } from './world.ts';

interface EventRow {
  id: number;
  due_at: number;
  kind: EventKind;
  account_id: string;
  public_id: string;
  payload: string;
}

/** A webhook that has become due. */
export interface Delivery {
  webhookId: string;
  body: object;
}

const acceptPayload = z.object({ invitationId: z.string() });
const webhookPayload = z.object({ webhookId: z.string(), body: z.record(z.string(), z.unknown()) });

/** Events handled in one transaction at most. */
const MAX_EVENTS = 500;
const SECOND = 1_000;

/**
 * Lets people do what has become due by product time, each at its own moment, in order.
 * Returns the webhooks to deliver; call again while it returns `more`.
 */
export function live(world: World): { deliveries: Delivery[]; more: boolean } {
  const now = world.clock.now();
  const next = world.nextDue();
  if (next === null || next > now) return { deliveries: [], more: false };
  const lived = world.store.tx(() => {
    const due = world.store.all<EventRow>(
      'select * from event where due_at <= ? order by due_at, id limit ?',
      now,
      MAX_EVENTS,
    );
    const deliveries: Delivery[] = [];
    for (const event of due) {
      world.store.run('delete from event where id = ?', event.id);
      if (event.kind === 'accept') accept(world, event);
      else if (event.kind === 'reply') reply(world, event);
      else if (event.kind === 'mail') arrive(world, JSON.parse(event.payload), event.due_at);
      else deliveries.push(webhookPayload.parse(JSON.parse(event.payload)));
    }
    return { deliveries, more: due.length === MAX_EVENTS };
  });
  world.forgetNextDue();
  return lived;
}

/** After a message of ours: plans the answer, if this is the message that the person answers. */
export function planReply(world: World, accountId: string, publicId: string): void {
  const behaviour = world.behaviour(publicId);
  if (behaviour.reply === 'none') return;
  if (ownMessages(world, accountId, publicId) !== behaviour.replyToMessage) return;
  world.plan(world.clock.now() + behaviour.replyAfterMs, 'reply', accountId, publicId);
}

/** The person accepts the pending invitation at `at`; a note opens the chat at once. False when none is pending. */
export function acceptInvitation(world: World, accountId: string, publicId: string, at: number): boolean {
  const pending = world.store.one<InvitationRow>(
    `select * from invitation where account_id = ? and public_id = ? and state = 'pending' order by row limit 1`,
    accountId,
    publicId,
  );
  if (!pending) return false;
  world.store.run(
    `update invitation set state = 'accepted' where account_id = ? and public_id = ? and state = 'pending'`,
    accountId,
    publicId,
  );
  world.connect(accountId, publicId, at);
  if (pending.text) notifyMessage(world, accountId, publicId, 'note', pending.text, at);
  const { noticeAfterMs } = world.behaviour(publicId);
  notify(world, 'users', accountId, publicId, at + noticeAfterMs, newRelationBody(world, accountId, publicId));
  return true;
}

/** A message that did not come through a request: the person's or their reaction to one, the account's owner's by hand, or an accepted note. */
export function notifyMessage(
  world: World,
  accountId: string,
  publicId: string,
  origin: Exclude<MessageRow['origin'], 'api'>,
  text: string,
  at: number,
): { chatId: string; messageId: string } {
  const ids = addMessage(world, { accountId, publicId, origin, text, at });
  const body = messageBody(world, accountId, publicId, { ...ids, text, at, origin });
  notify(world, 'messaging', accountId, publicId, at + 5 * SECOND, body);
  return ids;
}

function accept(world: World, event: EventRow): void {
  const { invitationId } = acceptPayload.parse(JSON.parse(event.payload));
  const invitation = world.store.one<InvitationRow>('select * from invitation where id = ?', invitationId);
  // Withdrawn meanwhile, or accepted through an equal request.
  if (invitation?.state !== 'pending') return;
  acceptInvitation(world, event.account_id, event.public_id, event.due_at);
}

function reply(world: World, event: EventRow): void {
  const behaviour = world.behaviour(event.public_id);
  const text = replyText(world.seed, event.public_id, behaviour);
  if (text !== '') notifyMessage(world, event.account_id, event.public_id, 'person', text, event.due_at);
}

function notify(world: World, source: string, accountId: string, publicId: string, dueAt: number, body: object): void {
  for (const hook of webhooksFor(world, source, accountId)) {
    const named = { ...body, webhook_name: hook.name };
    world.plan(dueAt, 'webhook', accountId, publicId, { webhookId: hook.id, body: named });
  }
}
