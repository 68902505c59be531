import { isOwn, type MessageRow } from './chats.ts';
import { personOf, profileUrl } from './person.ts';
import type { World } from './world.ts';

/** A registered webhook. */
export interface Webhook {
  id: string;
  source: string;
  requestUrl: string;
  name: string;
  headers: { key: string; value: string }[];
  /** Empty: all accounts. */
  accountIds: string[];
}

/** All webhooks of a source that listen to this account. */
export function webhooksFor(world: World, source: string, accountId: string): Webhook[] {
  return allWebhooks(world).filter(
    (hook) => hook.source === source && (hook.accountIds.length === 0 || hook.accountIds.includes(accountId)),
  );
}

export function allWebhooks(world: World): Webhook[] {
  const rows = world.store.all<{ id: string; source: string; body: string }>('select * from webhook order by id');
  return rows.map((row) => ({
    ...(JSON.parse(row.body) as Omit<Webhook, 'id' | 'source'>),
    id: row.id,
    source: row.source,
  }));
}

/** Body of source `users`, event `new_relation`. */
export function newRelationBody(world: World, accountId: string, publicId: string): object {
  const person = personOf(world.seed, publicId);
  return {
    event: 'new_relation',
    account_id: accountId,
    account_type: 'LINKEDIN',
    user_full_name: `${person.firstName} ${person.lastName}`,
    user_provider_id: world.providerId(accountId, publicId),
    user_public_identifier: publicId,
    user_profile_url: profileUrl(publicId),
  };
}

/** Body of source `messaging`, event `message_received`; own messages written elsewhere arrive too. */
export function messageBody(
  world: World,
  accountId: string,
  publicId: string,
  message: { chatId: string; messageId: string; text: string; at: number; origin: MessageRow['origin'] },
): object {
  const person = personOf(world.seed, publicId);
  const providerId = world.providerId(accountId, publicId);
  const other = {
    attendee_id: providerId,
    attendee_provider_id: providerId,
    attendee_name: `${person.firstName} ${person.lastName}`,
    attendee_profile_url: profileUrl(publicId),
  };
  const self = {
    attendee_id: ownerId(accountId),
    attendee_provider_id: ownerId(accountId),
    attendee_name: accountId,
    attendee_profile_url: '',
  };
  return {
    event: message.origin === 'reaction' ? 'message_reaction' : 'message_received',
    account_id: accountId,
    account_type: 'LINKEDIN',
    account_info: { type: 'LINKEDIN', feature: 'classic', user_id: ownerId(accountId) },
    chat_id: message.chatId,
    message_id: message.messageId,
    message: message.text,
    timestamp: new Date(message.at).toISOString(),
    sender: isOwn(message.origin) ? self : other,
    attendees: [other],
    attachments: [],
  };
}

/** Provider id of the account's own person. */
export function ownerId(accountId: string): string {
  return `ACoOWN-${accountId}`;
}
